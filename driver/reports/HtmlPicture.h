//===- HtmlPicture.h - The streams of a region as lanes ---------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Time runs downward, with one row for each entry. Lanes and nodes are drawn on
// the left (HtmlDrawing.cpp), and each row of the table on the right has the
// same content as text (HtmlPicture.cpp). Both use em as their unit, so they
// stay aligned at any text size.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_HTMLPICTURE_H
#define CUDAGRAPH_DRIVER_REPORTS_HTMLPICTURE_H

#include "HtmlParts.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

namespace cudagraph::reports::html {

struct Lane {
  std::string Name;
  bool Origin = false, Host = false;
  bool Captured = false;       ///< takes part at some time, or may take part
  bool Sure = false;           ///< it does
  unsigned From = ~0u, To = 0; ///< rows
};

struct Row {
  const TimelineEntry *Entry;
  unsigned Lane = 0;
  std::vector<size_t> Findings; ///< here
  int Source = -1;              ///< Record: the row that waits for this one
};

class Picture {
public:
  Picture(Page &P, const Region &G) : P(P), Out(P.Out), G(G) { collect(); }
  void write();

private:
  Page &P;
  llvm::raw_ostream &Out;
  const Region &G;
  std::vector<Lane> Lanes;
  std::vector<Row> Rows;
  std::map<std::string, unsigned> Files; ///< of the listing

  std::string id() const { return "region-" + std::to_string(G.Id); }
  void collect();
  void legend();
  void table();
  void row(unsigned I);
  void listing();
  void line(const std::string &File, unsigned N, const Row *R);
  /// The color class of a lane; the host has none.
  std::string laneClass(unsigned I) const;
  std::string sign(unsigned I) const;
  /// The entry as text.
  std::string said(const TimelineEntry &E) const;
  std::string lineId(const Location &L);

  // HtmlDrawing.cpp
  void drawing();
  void lane(unsigned I);
  void arrow(unsigned I);
  void node(unsigned I);
};

} // namespace cudagraph::reports::html

#endif // CUDAGRAPH_DRIVER_REPORTS_HTMLPICTURE_H
