/** The names of a result's columns; a repeated one gets a number, so that no value is lost. Linear in their number. */
export function uniqueNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  const lastNumbers = new Map<string, number>();
  return names.map((name) => {
    let unique = name;
    let number = lastNumbers.get(name) ?? 1;
    while (taken.has(unique)) {
      number += 1;
      unique = `${name}_${number}`;
    }
    lastNumbers.set(name, number);
    taken.add(unique);
    return unique;
  });
}
