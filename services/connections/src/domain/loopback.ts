const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether a host, as a URL has it, is this computer. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}
