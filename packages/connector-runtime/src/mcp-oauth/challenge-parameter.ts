/** A parameter of a `WWW-Authenticate` header, quoted or not; undefined if it is absent or empty. */
export function challengeParameter(header: string, name: string): string | undefined {
  const found = new RegExp(`[\\s,]${name}=(?:"([^"]*)"|([^\\s,"]+))`, 'i').exec(header);
  return (found?.[1] ?? found?.[2]) || undefined;
}
