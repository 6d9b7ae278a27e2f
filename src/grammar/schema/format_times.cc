// Dates and times as RFC 3339 writes them, with the calendar and with leap seconds; durations as its appendix A does.
#include <string>
#include <vector>

#include "grammar/schema/format_builder.h"

namespace decant::grammar {
namespace {

std::string TwoDigits(int number) {
  return {static_cast<char>('0' + number / 10), static_cast<char>('0' + number % 10)};
}

// The second 60 is only ever the last one of a day in UTC: the local time is 23:59 and the offset. Hours and minutes
// are matched apart, each with its own part of the offset, and both must hold.
Expr LeapSecond(FormatBuilder& b) {
  const Expr digits = b.Pattern("[0-9][0-9]");
  const Expr colon = b.Text(":");
  const Expr second = b.Pattern(":60(?:\\.[0-9]+)?");
  std::vector<Expr> east_hours, east_minutes, west_hours, west_minutes;
  // hour:59:60+hour+1:00, and hour:minute:60+hour:minute+1
  for (int hour = 0; hour < 24; ++hour) {
    const Expr text = b.Text(TwoDigits(hour) + ":");
    east_hours.push_back(b.Row({text, b.Text("59"), second, b.Text("+" + TwoDigits((hour + 1) % 24) + ":00")}));
    east_hours.push_back(
        b.Row({text, digits, second, b.Text("+" + TwoDigits(hour)), b.Pattern(":(?:0[1-9]|[1-5][0-9])")}));
    west_hours.push_back(b.Row({text, digits, second, b.Text("-" + TwoDigits(23 - hour) + ":"), digits}));
  }
  for (int minute = 0; minute < 60; ++minute) {
    const Expr text = b.Row({digits, colon, b.Text(TwoDigits(minute)), second});
    east_minutes.push_back(b.Row({text, b.Text("+"), digits, b.Text(":" + TwoDigits((minute + 1) % 60))}));
    west_minutes.push_back(b.Row({text, b.Text("-"), digits, b.Text(":" + TwoDigits(59 - minute))}));
  }
  ExprPool& pool = b.pool();
  return b.Any({b.Row({b.Text("23:59"), second, b.Pattern("[Zz]")}),
                b.All(pool.Union(east_hours), pool.Union(east_minutes)),
                b.All(pool.Union(west_hours), pool.Union(west_minutes))});
}

}  // namespace

Expr DateLanguage(FormatBuilder& b) {
  return b.Any({b.Pattern("[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])"
                          "|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))"),
                b.Pattern("(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29")});
}

Expr TimeLanguage(FormatBuilder& b) {
  return b.Any({b.Pattern("(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]+)?"
                          "(?:[Zz]|[+\\-](?:[01][0-9]|2[0-3]):[0-5][0-9])"),
                LeapSecond(b)});
}

Expr DateTimeLanguage(FormatBuilder& b) { return b.Row({DateLanguage(b), b.Pattern("[Tt]"), TimeLanguage(b)}); }

Expr DurationLanguage(FormatBuilder& b) {
  const Expr time = b.Pattern("T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S)");
  const Expr date = b.Pattern("[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D");
  return b.Row({b.Text("P"), b.Any({b.Pattern("[0-9]+W"), time, b.Row({date, b.Maybe(time)})})});
}

}  // namespace decant::grammar
