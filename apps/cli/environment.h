// The process's environment, as the one function that reads it.
#ifndef DECANT_CLI_ENVIRONMENT_H_
#define DECANT_CLI_ENVIRONMENT_H_

#include <functional>
#include <string>

namespace decant::cli {

// The variable's text; "" when it is not set: decant treats an empty variable as absent.
std::string Environment(const char* name);

// Environment, or a test's own variables; "" = absent.
using EnvironmentLookup = std::function<std::string(const char* name)>;

}  // namespace decant::cli

#endif  // DECANT_CLI_ENVIRONMENT_H_
