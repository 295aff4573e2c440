/** Checks a value against a JSON Schema, as far as `study.schema.json` uses the language: the same file that `crowdlog study check` reads. */

export interface Schema {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly type?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** The place of the first thing that is wrong, or undefined. */
export function wrongIn(value: unknown, schema: Schema, root: Schema = schema, place = "study"): string | undefined {
  if (schema.$ref !== undefined) return wrongIn(value, root.$defs?.[schema.$ref.replace("#/$defs/", "")] ?? {}, root, place);
  if ("const" in schema) return value === schema.const ? undefined : place;
  if (schema.enum) return schema.enum.includes(value) ? undefined : place;
  if (schema.oneOf) return schema.oneOf.filter((one) => wrongIn(value, one, root, place) === undefined).length === 1 ? undefined : place;
  if (schema.type === "string") return wrongText(value, schema) ? place : undefined;
  if (schema.type === "integer") return Number.isInteger(value) && (value as number) >= (schema.minimum ?? -Infinity) && (value as number) <= (schema.maximum ?? Infinity) ? undefined : place;
  if (schema.type === "array") return wrongList(value, schema, root, place);
  return wrongObject(value, schema, root, place);
}

function wrongText(value: unknown, schema: Schema): boolean {
  if (typeof value !== "string") return true;
  const length = Array.from(value).length;
  return length < (schema.minLength ?? 0) || length > (schema.maxLength ?? Infinity) || (schema.pattern !== undefined && !new RegExp(schema.pattern, "u").test(value));
}

function wrongList(value: unknown, schema: Schema, root: Schema, place: string): string | undefined {
  if (!Array.isArray(value) || value.length < (schema.minItems ?? 0) || value.length > (schema.maxItems ?? Infinity)) return place;
  return firstOf(value.map((item, i) => wrongIn(item, schema.items ?? {}, root, `${place}[${i}]`)));
}

function wrongObject(value: unknown, schema: Schema, root: Schema, place: string): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return place;
  const missing = (schema.required ?? []).find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `${place}.${missing}`;
  const known = new Map(Object.entries(schema.properties ?? {})); // an object would know "constructor", too
  return firstOf(Object.entries(value).map(([name, item]) => (known.has(name) ? wrongIn(item, known.get(name) as Schema, root, `${place}.${name}`) : `${place}.${name}`)));
}

function firstOf(places: readonly (string | undefined)[]): string | undefined {
  return places.find((place) => place !== undefined);
}
