/** An error that its reader is told in her language: the name of a sentence, and what is put into it. The sentences are in _locales/. */
export class Told extends Error {
  override name = "Told";
  readonly values: readonly string[];

  constructor(
    readonly sentence: string,
    ...values: (string | number)[]
  ) {
    super([sentence, ...values].join(" "));
    this.values = values.map(String);
  }
}
