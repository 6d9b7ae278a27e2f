// The thread pool: every task once, any number of threads, calls that take turns.
#include "decant/runtime.h"

#include <atomic>
#include <cfenv>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/sha256.h"
#include "gtest/gtest.h"

namespace decant {
namespace {

std::shared_ptr<Runtime> MakeRuntime(int threads) {
  Result<std::shared_ptr<Runtime>> runtime = Runtime::Make({.threads = threads});
  EXPECT_TRUE(runtime.has_value()) << runtime.error().message;
  return *runtime;
}

TEST(RuntimeTest, RefusesThreadsOutsideItsRange) {
  for (const int threads : {-1, 257, -2147483647}) {
    const auto runtime = Runtime::Make({.threads = threads});
    ASSERT_FALSE(runtime.has_value());
    EXPECT_EQ(runtime.error().code, ErrorCode::kOutOfRange);
    EXPECT_EQ(runtime.error().subject, "threads");
    EXPECT_EQ(runtime.error().message, "threads is " + std::to_string(threads) + "; expected an integer in 0..256");
  }
}

TEST(RuntimeTest, ZeroAndOneThreadRunOnTheCaller) {
  for (const int threads : {0, 1}) {
    const auto runtime = MakeRuntime(threads);
    EXPECT_EQ(runtime->threads(), 1);
    std::vector<int> order;
    const std::thread::id caller = std::this_thread::get_id();
    runtime->Parallel(5, [&](int i) {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      order.push_back(i);
    });
    EXPECT_EQ(order, (std::vector{0, 1, 2, 3, 4}));
  }
}

TEST(RuntimeTest, CallsTheBodyOnceForEveryTask) {
  for (const int threads : {1, 2, 3, 8, 256}) {
    const auto runtime = MakeRuntime(threads);
    EXPECT_EQ(runtime->threads(), threads);
    for (const int tasks : {0, 1, 2, 3, 7, 64, 1000}) {
      std::vector<std::atomic<int>> counts(static_cast<std::size_t>(tasks));
      runtime->Parallel(tasks, [&](int i) { ++counts[static_cast<std::size_t>(i)]; });
      for (const std::atomic<int>& count : counts) ASSERT_EQ(count, 1) << threads << " threads, " << tasks << " tasks";
    }
  }
}

TEST(RuntimeTest, IgnoresNegativeTaskCounts) {
  MakeRuntime(2)->Parallel(-1, [](int) { FAIL(); });
}

TEST(RuntimeTest, SeesWhatEarlierCallsWrote) {
  const auto runtime = MakeRuntime(4);
  std::vector<int> values(16, 0);  // plain memory: the call itself must order it
  for (int call = 0; call < 20000; ++call) {
    runtime->Parallel(16, [&](int i) { values[static_cast<std::size_t>((i + call) % 16)] += i; });
  }
  int sum = 0;
  for (const int value : values) sum += value;
  EXPECT_EQ(sum, 20000 * 120);
}

TEST(RuntimeTest, WakesWorkersThatFellAsleep) {
  const auto runtime = MakeRuntime(3);
  const std::string work(100000, 'x');  // hashing it takes longer than idle workers watch
  std::atomic<int> done = 0;
  for (int call = 0; call < 200; ++call) {
    core::Sha256Hex(work);
    runtime->Parallel(3, [&](int) { ++done; });
  }
  EXPECT_EQ(done, 600);
}

TEST(RuntimeTest, WaitsForATaskLongerThanTheCallerWatches) {
  const auto runtime = MakeRuntime(2);
  const std::string work(300000, 'x');
  std::vector<std::string> hashes(2);
  for (int call = 0; call < 50; ++call) {
    hashes.assign(2, "");
    runtime->Parallel(
        2, [&](int i) { hashes[static_cast<std::size_t>(i)] = core::Sha256Hex(i == call % 2 ? work : "short"); });
    ASSERT_EQ(hashes[0].size(), 64u);
    ASSERT_EQ(hashes[1].size(), 64u);
  }
}

TEST(RuntimeTest, CallsFromSeveralThreadsTakeTurns) {
  for (const int threads : {1, 3}) {
    const auto runtime = MakeRuntime(threads);
    std::atomic<int> inside = 0;
    long total = 0;  // guarded by the turn alone
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 4; ++caller) {
      callers.emplace_back([&] {
        for (int call = 0; call < 500; ++call) {
          std::vector<int> marks(8, 0);
          runtime->Parallel(8, [&](int i) {
            marks[static_cast<std::size_t>(i)] = 1;
            if (i == 0) {
              EXPECT_EQ(++inside, 1) << "two calls run at once";
              ++total;
              --inside;
            }
          });
          for (const int mark : marks) ASSERT_EQ(mark, 1);
        }
      });
    }
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(total, 2000);
  }
}

TEST(RuntimeTest, EndsWithWorkersAwakeOrAsleep) {
  for (int i = 0; i < 200; ++i) {
    const auto runtime = MakeRuntime(1 + i % 4);
    for (int call = 0; call < i % 3; ++call) runtime->Parallel(4, [](int) {});
  }
}

double Third() {
  const volatile double one = 1;
  const volatile double three = 3;
  return one / three;
}

TEST(RuntimeTest, RoundsToNearestOnEveryThread) {
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  const auto runtime = MakeRuntime(4);  // its threads inherit the mode
  std::atomic<int> wrong = 0;
  for (int call = 0; call < 50; ++call) {
    runtime->Parallel(16, [&](int) { wrong += Third() != 0x1.5555555555555p-2 ? 1 : 0; });
  }
  const double after = Third();
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(after, 0x1.5555555555556p-2) << "the caller's own mode must come back";
}

}  // namespace
}  // namespace decant
