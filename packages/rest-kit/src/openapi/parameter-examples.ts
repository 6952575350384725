import type { JsonSchema } from '../json-schema.ts';

/** An example of a parameter; `x-disabled`: forms of the API reference show the value and do not send it. */
export interface ExampleObject {
  readonly value: unknown;
  readonly 'x-disabled'?: true;
}

/** The name of the only example of each parameter and body, with which the API reference opens its forms. */
const EXAMPLE = 'default';

/**
 * The example of an optional parameter that has a default or a list of values. Without one, the API reference would take
 * the default or the first value, and send it.
 */
export function unselected({ default: value, enum: values }: JsonSchema): {
  readonly examples?: Readonly<Record<string, ExampleObject>>;
} {
  const shown: unknown = value ?? values?.[0];
  return shown === undefined ? {} : { examples: { [EXAMPLE]: { value: shown, 'x-disabled': true } } };
}
