import { validationError } from '@fairlead/errors/api-error';

/** Slugs of the applications that connections to MCP servers create. */
const RESERVED = /^mcp-\d+$/;

/** Throws VALIDATION_ERROR for a slug that no import may have. */
export function refuseReservedSlug(slug: string): void {
  if (RESERVED.test(slug))
    throw validationError({ field: 'slug', issue: 'mcp-<number> is kept for connections to MCP servers' });
}
