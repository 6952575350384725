/**
 * Sets an entry of a map that keeps the `capacity` entries that were set last: above that it drops the one that was set least
 * recently. Whoever sets an entry again when it is used, keeps those in use.
 */
export function rememberRecent<T>(map: Map<string, T>, name: string, value: T, capacity: number): void {
  map.delete(name);
  map.set(name, value);
  if (map.size <= capacity) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
