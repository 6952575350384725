/**
 * Paths (`items[].id`) of members that only one of two JSON values has. Only the first item of each list is compared. Null and an empty
 * list match any value with members.
 */
export function differencesOf(recorded: unknown, live: unknown, path = ''): string[] {
  if (recorded === null || live === null) return [];
  if (Array.isArray(recorded) && Array.isArray(live)) {
    return recorded.length === 0 || live.length === 0 ? [] : differencesOf(recorded[0], live[0], `${path}[]`);
  }
  if (!isObject(recorded) || !isObject(live)) return typeof recorded === typeof live ? [] : [path];
  const names = new Set([...Object.keys(recorded), ...Object.keys(live)]);
  return [...names].flatMap((name) =>
    name in recorded && name in live
      ? differencesOf(recorded[name], live[name], `${path}.${name}`)
      : [`${path}.${name}`],
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
