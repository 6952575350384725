/**
 * The reason why this machine cannot build the suite (no Go, or no module proxy responds); undefined if the failure
 * is a defect of the build.
 */
export function unavailableReason(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && error.code === 'ENOENT' && 'path' in error && error.path === 'go')
    return 'there is no Go on PATH.';
  // Go prints `Get "<address>": <reason>` for a request without a response, and `reading <address>: <status>` for an
  // error response.
  const isUnreachable = [
    /\bGet "https?:\/\/[^"]+": /,
    /\breading https?:\/\/\S+: 5\d\d /,
    /\bmodule lookup disabled by GOPROXY=off/,
  ].some((line) => line.test(error.message));
  return isUnreachable ? `no module proxy can be reached: ${error.message}` : undefined;
}
