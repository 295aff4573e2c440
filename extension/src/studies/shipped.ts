/** The studies that come with the extension; the store's signature covers them. */

import coverage from "./shipped/coverage.json";
import frustration from "./shipped/frustration.json";
import postQuery from "./shipped/post-query.json";
import behavior from "./shipped/web-search-behavior.json";
import { readStudy, type Study } from "./study.ts";

export const SHIPPED: readonly Study[] = [coverage, behavior, frustration, postQuery].map(readStudy);
