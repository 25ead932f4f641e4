// Tables and code that are wider than a page scroll by the keyboard, too. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"use strict";
const makeReachable = () => {
  for (const box of document.querySelectorAll(".md-typeset__scrollwrap, .md-typeset pre > code")) box.tabIndex = 0;
};
// After the theme, which takes it from code that it believes to fit.
const delay = 250;
for (const event of ["load", "resize"]) addEventListener(event, () => setTimeout(makeReachable, delay));
