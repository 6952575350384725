/** One problem of a connector; `path` leads to it from the connector's root. */
export interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** A path in its usual notation, such as `tools[2].request.url`. */
export function pathText(path: Problem['path']): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${String(step)}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}

/** `values` that occur more than once, each with the index of its second and later occurrences. */
export function duplicates<T>(
  values: readonly T[],
): readonly { readonly index: number; readonly value: T }[] {
  const seen = new Set<T>();
  return values.flatMap((value, index) => {
    if (seen.has(value)) return [{ index, value }];
    seen.add(value);
    return [];
  });
}

/** Moves a problem under `prefix`, where what it was found in is. */
export function under(prefix: Problem['path']): (problem: Problem) => Problem {
  return ({ path, message }) => ({ path: [...prefix, ...path], message });
}
