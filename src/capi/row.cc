// What C cannot promise by its types is checked here.
#include "capi/row.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "capi/call.h"

namespace decant::capi {
namespace {

struct Element {
  ElementType type;
  std::size_t size;  // and alignment
};

Result<Element> ElementOf(decant_element_type type) {
  switch (type) {
    case DECANT_F32:
      return Element{ElementType::kF32, sizeof(float)};
    case DECANT_F64:
      return Element{ElementType::kF64, sizeof(double)};
    case DECANT_F16:
      return Element{ElementType::kF16, sizeof(std::uint16_t)};
    case DECANT_BF16:
      return Element{ElementType::kBF16, sizeof(std::uint16_t)};
    default:
      return Fail(ErrorCode::kOutOfRange, "type of the row is " + std::to_string(type) + "; expected DECANT_F32.._BF16",
                  {.subject = "type", .allowed = "0..3"});
  }
}

Result<void> RequireAligned(const void* pointer, std::size_t alignment, const std::string& name) {
  if (reinterpret_cast<std::uintptr_t>(pointer) % alignment == 0) return {};
  return Fail(ErrorCode::kOutOfRange,
              name + " of the row is misaligned; expected an address that " + std::to_string(alignment) + " divides",
              {.subject = name});
}

decant_draw_kind KindOf(DrawKind kind) {
  switch (kind) {
    case DrawKind::kGreedy:
      return DECANT_DRAW_GREEDY;
    case DrawKind::kInverseCdf:
      return DECANT_DRAW_INVERSE_CDF;
    case DrawKind::kRace:
      return DECANT_DRAW_RACE;
  }
  return DECANT_DRAW_GREEDY;
}

}  // namespace

Result<RowView> RowOf(const decant_row& row) {
  DECANT_TRY(const Element element, ElementOf(row.type));
  DECANT_CHECKED(RequireZero(row.reserved, "reserved of the row"));
  if (row.vocabulary > 0) DECANT_CHECKED(Require(row.data, "data of the row"));
  DECANT_CHECKED(RequireAligned(row.data, element.size, "data"));
  DECANT_CHECKED(RequireAligned(row.mask, sizeof(std::uint32_t), "mask"));
  DECANT_CHECKED(RequireAligned(row.structural, sizeof(std::uint32_t), "structural"));
  return RowView{.data = row.data,
                 .type = element.type,
                 .vocabulary = row.vocabulary,
                 .mask = row.mask,
                 .structural = row.structural};
}

Result<Detail> DetailOf(decant_detail detail) {
  if (detail == DECANT_FULL) return Detail::kFull;
  if (detail == DECANT_TOKEN) return Detail::kToken;
  return Fail(ErrorCode::kOutOfRange, "detail is " + std::to_string(detail) + "; expected DECANT_FULL or DECANT_TOKEN",
              {.subject = "detail", .allowed = "0..1"});
}

decant_choice ChoiceOf(const Choice& choice) {
  return {.token = choice.token,
          .rank = choice.rank,
          .probability = choice.probability,
          .log_probability = choice.log_probability,
          .drawn_by = KindOf(choice.drawn_by),
          .reserved = 0};
}

}  // namespace decant::capi
