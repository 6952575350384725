/** Protocol versions with the handshake `initialize`, newest first. */
export const HANDSHAKE_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
/** Versions without a handshake, in which each request describes its client's capabilities. */
export const STATELESS_VERSIONS = ['2026-07-28'] as const;

/** The version assumed without a header. Source: MCP 2025-06-18, "Transports". */
export const UNNAMED_VERSION = '2025-03-26';
/** The only version with batches. */
export const BATCH_VERSION = '2025-03-26';

/** The version in the response to `initialize`: the requested one if supported, otherwise the newest. */
export function negotiatedVersion(requested: string): string {
  return isHandshakeVersion(requested) ? requested : HANDSHAKE_VERSIONS[0];
}

export function isHandshakeVersion(version: string): boolean {
  return HANDSHAKE_VERSIONS.some((known) => known === version);
}

/** Whether a version, even an unknown one, has no handshake; versions are dates. */
export function isStateless(version: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= STATELESS_VERSIONS[0];
}

export function isKnownStateless(version: string): boolean {
  return STATELESS_VERSIONS.some((known) => known === version);
}
