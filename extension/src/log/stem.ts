/** English stems by the Snowball algorithm (snowballstem.org, version 3.1): the same as the Python package's, word by word
 *  (tests/extension/test_same_answers.py). Words hold small letters and digits alone: `light` has taken apostrophes out. */

const WHOLE: Readonly<Record<string, string>> = {
  skis: "ski", skies: "sky", idly: "idl", gently: "gentl", ugly: "ugli", early: "earli", only: "onli", singly: "singl",
  sky: "sky", news: "news", howe: "howe", atlas: "atlas", cosmos: "cosmos", bias: "bias", andes: "andes",
};
const BEGINNINGS = /^(?:arsen|commun|emerg|gener|inter|later|organ|past|univers)/; // the first region begins right behind these
const TO_FIRST_REGION = /^[^aeiouy]*[aeiouy]+[^aeiouy]/;
const SHORT = /[^aeiouy][aeiouy][^aeiouywxY]$|^[aeiouy][^aeiouy]$|past$/;
const STEP_2: Readonly<Record<string, string>> = {
  tional: "tion", enci: "ence", anci: "ance", abli: "able", entli: "ent", izer: "ize", ization: "ize", ational: "ate", ation: "ate", ator: "ate",
  alism: "al", aliti: "al", alli: "al", fulness: "ful", fulli: "ful", ousli: "ous", ousness: "ous", iveness: "ive", iviti: "ive", biliti: "ble",
  bli: "ble", ogist: "og", lessli: "less", ogi: "og", li: "",
};
const STEP_3: Readonly<Record<string, string>> = { tional: "tion", ational: "ate", alize: "al", icate: "ic", iciti: "ic", ical: "ic", ful: "", ness: "", ative: "" };
const STEP_4 = ["ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "ion", "al", "er", "ic"];
const BEYOND = /[\u{10000}-\u{10ffff}]/gu; // two units of a text, one letter

export function stem(word: string): string {
  const rare = word.match(BEYOND);
  if (!rare) return stemOf(word);
  let i = 0;
  return stemOf(word.replace(BEYOND, "\uffff")).replace(/\uffff/g, () => rare[i++] as string);
}

function stemOf(word: string): string {
  const known = Object.hasOwn(WHOLE, word) ? WHOLE[word] : undefined;
  if (known !== undefined || word.length < 3) return known ?? word;
  const marked = word.replace(/^y/, "Y").replace(/([aeiouy])y/g, "$1Y"); // a y that is no vowel
  const first = BEGINNINGS.exec(marked)?.[0].length ?? regionFrom(marked, 0);
  const second = regionFrom(marked, first);
  const plain = lastY(pastTense(plural(marked), first));
  return lastLetter(ending(derived(derived(plain, first, second, STEP_2), first, second, STEP_3), second), first, second).replaceAll("Y", "y");
}

function regionFrom(word: string, start: number): number {
  const found = TO_FIRST_REGION.exec(word.slice(start));
  return found ? start + found[0].length : word.length;
}

function cut(word: string, letters: number): string {
  return word.slice(0, word.length - letters);
}

function longest(word: string, endings: readonly string[]): string | undefined {
  return endings.reduce<string | undefined>((best, one) => (word.endsWith(one) && one.length > (best?.length ?? 0) ? one : best), undefined);
}

function plural(word: string): string {
  if (word.endsWith("sses")) return cut(word, 2);
  if (/ie[ds]$/.test(word)) return cut(word, word.length > 4 ? 2 : 1);
  return /[aeiouy].+s$/.test(word) && !/[us]s$/.test(word) ? cut(word, 1) : word;
}

function pastTense(word: string, first: number): string {
  const found = longest(word, ["eed", "eedly", "ed", "edly", "ing", "ingly"]);
  if (found === undefined) return word;
  const before = cut(word, found.length);
  if (found.startsWith("eed")) return before.length < first || /^(?:succ|proc|exc)$/.test(before) ? word : before + "ee";
  if (found === "ing" && /^[^aeiouy]y$/.test(before)) return cut(before, 1) + "ie";
  if (found === "ing" && /^(?:even|cann|inn|earr|herr|out)$/.test(before)) return word;
  if (!/[aeiouy]/.test(before)) return word;
  if (/(?:at|bl|iz)$/.test(before)) return before + "e";
  if (/(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(before)) return /^[aeo]..$/.test(before) ? before : cut(before, 1);
  return before.length === first && SHORT.test(before) ? before + "e" : before;
}

function lastY(word: string): string {
  return /.[^aeiouy][yY]$/.test(word) ? cut(word, 1) + "i" : word;
}

/** Steps 2 and 3: one ending becomes a shorter one. */
function derived(word: string, first: number, second: number, endings: Readonly<Record<string, string>>): string {
  const found = longest(word, Object.keys(endings));
  if (found === undefined) return word;
  const before = cut(word, found.length);
  if (before.length < (found === "ative" ? second : first)) return word;
  if ((found === "ogi" && !before.endsWith("l")) || (found === "li" && !/[cdeghkmnrt]$/.test(before))) return word;
  return before + (endings[found] as string);
}

function ending(word: string, second: number): string {
  const found = longest(word, STEP_4);
  const before = cut(word, found?.length ?? 0);
  return found === undefined || before.length < second || (found === "ion" && !/[st]$/.test(before)) ? word : before;
}

function lastLetter(word: string, first: number, second: number): string {
  const before = cut(word, 1);
  if (word.endsWith("e")) return before.length >= second || (before.length >= first && !SHORT.test(before)) ? before : word;
  return word.endsWith("ll") && before.length >= second ? before : word;
}
