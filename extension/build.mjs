/** Builds the extension: dist/chromium, dist/firefox and a zip of each. `--grant` makes optional hosts required, for tests that cannot answer a browser's prompt. */

import { build } from "esbuild";
import { zipSync } from "fflate";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

const HERE = import.meta.dirname;
const words = process.argv.slice(2);
const grant = words.includes("--grant");
const out = words.find((word) => !word.startsWith("--")) ?? join(HERE, "dist");
const NEVER = new Date(1980, 0, 1); // the same files make the same zip
const engines = readdirSync(join(HERE, "src/engines")).filter((name) => name.endsWith(".json")).sort();
const pages = readdirSync(join(HERE, "src/pages")).filter((name) => name.endsWith(".html"));

const bundle = {
  bundle: true,
  format: "iife",
  target: ["chrome121", "firefox128"],
  legalComments: "none",
  charset: "utf8",
  logLevel: "warning",
  loader: { ".css": "text" },
};

function manifestFor(browser) {
  const manifest = JSON.parse(readFileSync(join(HERE, "manifest.json"), "utf8"));
  manifest.version = JSON.parse(readFileSync(join(HERE, "package.json"), "utf8")).version;
  const described = engines.map((name) => JSON.parse(readFileSync(join(HERE, "src/engines", name), "utf8")));
  manifest.content_scripts[0].matches = described.map(({ host, path, subdomains }) => `*://${subdomains ? "*." : ""}${host}${path}*`);
  // Each store warns of what only the other browser knows.
  if (browser === "chromium") {
    delete manifest.background.scripts;
    delete manifest.browser_specific_settings;
  } else {
    delete manifest.background.service_worker;
    delete manifest.minimum_chrome_version;
  }
  if (grant) manifest.host_permissions = manifest.optional_host_permissions;
  return manifest;
}

function filesIn(folder, root = folder) {
  return readdirSync(folder).sort().flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesIn(path, root) : [relative(root, path)];
  });
}

const entries = {
  background: "src/background/main.ts",
  "engine-page": "src/content/engine-page.ts",
  "any-page": "src/content/any-page.ts",
  "seal-worker": "src/workers/seal.ts",
  "task-worker": "src/workers/tasks.ts",
  ...Object.fromEntries(pages.map((name) => [name.replace(".html", ""), `src/pages/${name.replace(".html", ".ts")}`])),
};

for (const browser of ["chromium", "firefox"]) {
  const folder = join(out, browser);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const entryPoints = Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(HERE, path)]));
  await build({ ...bundle, entryPoints, outdir: folder });
  for (const name of pages) cpSync(join(HERE, "src/pages", name), join(folder, name));
  cpSync(join(HERE, "src/pages/style.css"), join(folder, "style.css"));
  for (const name of ["_locales", "icons"]) cpSync(join(HERE, name), join(folder, name), { recursive: true });
  cpSync(join(HERE, "../LICENSE"), join(folder, "LICENSE"));
  cpSync(join(HERE, "../src/crowdlog/applications/tasks/default.json"), join(folder, "task-model.json"));
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifestFor(browser), null, 2) + "\n");
  const files = Object.fromEntries(filesIn(folder).map((name) => [name, [readFileSync(join(folder, name)), { mtime: NEVER }]]));
  writeFileSync(join(out, `crowdlog-${browser}.zip`), zipSync(files, { level: 9 }));
}
