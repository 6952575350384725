/** The addresses of the authorization server, below its issuer. */
export const ROUTES = {
  authorization: '/authorize',
  token: '/token',
  jwks: '/jwks',
  registration: '/register',
  revocation: '/revoke',
  introspection: '/introspect',
  code_verification: '/device',
  device_authorization: '/device/authorize',
} as const;
