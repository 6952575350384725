import type { ServerResponse } from 'node:http';
import { ApiError, notFound } from '@fairlead/errors/api-error';
import { OAUTH_PATH } from '@fairlead/access/resources';
import { METADATA_PATHS } from '@fairlead/access/well-known';
import { ROUTES } from './routes.ts';

const READ = ['GET', 'HEAD'];
/** Paths that scripts of other sites may call. */
const CALL = ['POST', 'OPTIONS'];

/** The library's paths that we serve; it has others that we do not use. */
const ADDRESSES: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  [ROUTES.authorization, READ],
  [`${ROUTES.authorization}/{interactionId}`, READ],
  [ROUTES.code_verification, [...READ, 'POST']],
  // A literal path listed below takes precedence over this template.
  [`${ROUTES.code_verification}/{interactionId}`, READ],
  [ROUTES.device_authorization, CALL],
  [ROUTES.token, CALL],
  [ROUTES.revocation, CALL],
  [ROUTES.introspection, CALL],
  [ROUTES.registration, CALL],
  [ROUTES.jwks, [...READ, 'OPTIONS']],
  ...METADATA_PATHS.map((path) => [path, [...READ, 'OPTIONS']] as const),
]);

/** Whether the authorization server has an address with this path below the issuer. */
export function isAddress(path: string): boolean {
  return ADDRESSES.has(templateOf(path));
}

/**
 * The template of an address of the authorization server, given its path below the issuer, for the log. Throws NOT_FOUND
 * for an unknown path, and METHOD_NOT_ALLOWED for an unsupported method.
 */
export function routeOf(path: string, method: string, response: ServerResponse): string {
  const template = templateOf(path);
  const allowed = ADDRESSES.get(template);
  if (allowed === undefined) throw notFound('route');
  if (!allowed.includes(method)) {
    response.setHeader('allow', allowed.join(', '));
    throw new ApiError('METHOD_NOT_ALLOWED', `This path supports ${allowed.join(', ')}.`);
  }
  return OAUTH_PATH + template;
}

function templateOf(path: string): string {
  return ADDRESSES.has(path) ? path : path.replace(/\/[^/]+$/, '/{interactionId}');
}
