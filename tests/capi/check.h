// EXPECT for tests in C: counts and prints what does not hold, and goes on.
#ifndef DECANT_TESTS_CAPI_CHECK_H_
#define DECANT_TESTS_CAPI_CHECK_H_

#include <stdio.h>
#include <string.h>

#include "decant/c.h"

extern int failures;

#define EXPECT(condition)                                                            \
  do {                                                                               \
    if (!(condition)) {                                                              \
      ++failures;                                                                    \
      fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
    }                                                                                \
  } while (0)

// The call failed with this status, and its message has this text in it. Frees the error.
#define EXPECT_FAULT(call, expected, text)                                                                    \
  do {                                                                                                        \
    decant_error* error = NULL;                                                                               \
    const decant_status status = (call);                                                                      \
    if (status != (expected) || decant_error_status(error) != status ||                                       \
        strstr(decant_error_message(error), (text)) == NULL) {                                                \
      ++failures;                                                                                             \
      fprintf(stderr, "%s:%d: %s gives %s \"%s\", not %s with \"%s\"\n", __FILE__, __LINE__, #call,           \
              decant_status_name(status), decant_error_message(error), decant_status_name(expected), (text)); \
    }                                                                                                         \
    decant_error_free(error);                                                                                 \
  } while (0)

void TestHostile(void);
void TestBatches(void);
void TestThreads(void);
void TestConstraints(void);

#endif  // DECANT_TESTS_CAPI_CHECK_H_
