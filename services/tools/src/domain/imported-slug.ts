import { validationError } from '@fairlead/errors/api-error';

/** Prefix of slugs of applications that belong to connections to MCP servers. */
const RESERVED = /^mcp-\d+$/;

/** Throws VALIDATION_ERROR for a slug that imports must not have. */
export function refuseReservedSlug(slug: string): void {
  if (RESERVED.test(slug))
    throw validationError({
      field: 'slug',
      issue: 'mcp-<number> is reserved for connections to MCP servers',
    });
}
