// The compression function of SHA-256, plain and fast, for sha256.cc and the test that holds them equal.
#ifndef DECANT_CORE_SHA256_BLOCK_H_
#define DECANT_CORE_SHA256_BLOCK_H_

#include <cstdint>

namespace decant::core {

// Both mix one block of 64 bytes into the state of eight words.
void CompressSha256Plain(std::uint32_t* state, const unsigned char* block);
void CompressSha256(std::uint32_t* state, const unsigned char* block);  // as fast as this CPU can

}  // namespace decant::core

#endif  // DECANT_CORE_SHA256_BLOCK_H_
