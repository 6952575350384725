/**
 * Sets an entry of a map that keeps the `capacity` most recently set entries, and drops the oldest. Setting an entry
 * again on each use makes it an LRU cache.
 */
export function rememberRecent<T>(map: Map<string, T>, name: string, value: T, capacity: number): void {
  map.delete(name);
  map.set(name, value);
  if (map.size <= capacity) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
