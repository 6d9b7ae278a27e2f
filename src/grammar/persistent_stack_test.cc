// A stack that shares what its copies have in common.
#include "grammar/persistent_stack.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace decant::grammar {
namespace {

std::vector<int> Down(const PersistentStack<int>& stack) {
  std::vector<int> values;
  stack.VisitDown([&values](int value) {
    values.push_back(value);
    return true;
  });
  return values;
}

TEST(PersistentStackTest, CopiesGoTheirOwnWay) {
  PersistentStack<int> a;
  a.Push(1);
  a.Push(2);
  PersistentStack<int> b = a;
  b.Pop();
  b.Push(3);
  b.Push(4);
  EXPECT_EQ(Down(a), (std::vector<int>{2, 1}));
  EXPECT_EQ(Down(b), (std::vector<int>{4, 3, 1}));
  EXPECT_EQ(b.size(), 3u);
  a = std::move(b);
  EXPECT_EQ(a.top(), 4);
  a.Pop();
  a.Pop();
  a.Pop();
  EXPECT_EQ(a.size(), 0u);
}

TEST(PersistentStackTest, AVisitStopsWhenAsked) {
  PersistentStack<int> stack;
  for (int i = 0; i < 5; ++i) stack.Push(i);
  int visited = 0;
  stack.VisitDown([&visited](int value) { return ++visited < 3 && value > 0; });
  EXPECT_EQ(visited, 3);
}

TEST(PersistentStackTest, FreesEachValueOnceAndHighStacksWithoutRecursion) {
  const auto counted = std::make_shared<int>(0);
  {
    PersistentStack<std::shared_ptr<int>> stack;
    for (int i = 0; i < 1000000; ++i) stack.Push(counted);
    const PersistentStack<std::shared_ptr<int>> copy = stack;
    for (int i = 0; i < 500000; ++i) stack.Pop();
    EXPECT_EQ(counted.use_count(), 1000001);
  }
  EXPECT_EQ(counted.use_count(), 1);
}

TEST(PersistentStackTest, CopiesMayLiveInDifferentThreads) {
  PersistentStack<int> stack;
  for (int i = 0; i < 1000; ++i) stack.Push(i);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([copy = stack]() mutable {
      for (int i = 0; i < 900; ++i) copy.Pop();
      for (int i = 0; i < 900; ++i) copy.Push(i);
      EXPECT_EQ(copy.size(), 1000u);
    });
  }
  stack = {};
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace decant::grammar
