import { validationError } from '@fairlead/errors/api-error';

/** The name of an enum's value in `values`; VALIDATION_ERROR for any other value, UNSPECIFIED included. */
export function fromValue<N extends string>(
  values: Readonly<Record<N, number>>,
  value: number,
  field: string,
): N {
  // Object.keys returns the record's own keys.
  const name = (Object.keys(values) as N[]).find((candidate) => values[candidate] === value);
  if (name === undefined) throw validationError({ field, issue: 'is not one of the known values' });
  return name;
}
