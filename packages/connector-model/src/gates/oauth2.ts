import type { FieldDescriptor, OAuth2Scheme } from '../model.ts';
import { placeholdersIn } from '../template.ts';
import type { Problem } from './problem.ts';

/** A URL template that the runtime's renderUrl accepts without a base address. */
const ABSOLUTE_URL = /^https?:\/\/|^\{\{\s*(?:setting|field)\./;
const SIGN_IN_MEMBERS = ['pushedAuthorizationUrl', 'issuer', 'exchange'] as const;
const CLIENT_FIELDS = ['clientIdField', 'clientSecretField'] as const;

/** The problems of the OAuth 2 scheme of a method with these fields. Paths start at the scheme. */
export function oauth2Problems(scheme: OAuth2Scheme, fields: readonly FieldDescriptor[]): readonly Problem[] {
  const problems: Problem[] = [];
  const needsAuthorizationUrl = scheme.grant === 'authorizationCode';
  if (needsAuthorizationUrl !== (scheme.authorizationUrl !== null)) {
    problems.push({
      path: ['authorizationUrl'],
      message: needsAuthorizationUrl
        ? 'is required for the authorization code grant'
        : 'is not allowed without a sign-in',
    });
  }
  for (const { path, name } of credentialFields(scheme)) {
    const field = fields.find((each) => each.name === name);
    if (field === undefined) {
      problems.push({ path, message: `the method has no field '${name}'` });
    } else if (scheme.allowsAuthProvider && field.providerSlot === null) {
      problems.push({
        path: ['allowsAuthProvider'],
        message: `field '${field.name}' needs a providerSlot for a provider to hold it`,
      });
    }
  }
  problems.push(
    ...assertionProblems(scheme, fields),
    ...passwordProblems(scheme),
    ...tokenProblems(scheme),
    ...revocationProblems(scheme),
  );
  return problems;
}

/** The fields that a client needs, by the scheme's member that names each. */
function credentialFields(
  scheme: OAuth2Scheme,
): readonly { readonly path: Problem['path']; readonly name: string }[] {
  if (scheme.grant === 'jwtBearer') {
    const name = scheme.assertion?.privateKeyField;
    return name === undefined ? [] : [{ path: ['assertion', 'privateKeyField'], name }];
  }
  // A public client has no secret.
  const members = scheme.clientAuthentication === 'none' ? (['clientIdField'] as const) : CLIENT_FIELDS;
  return members.map((member) => ({ path: [member], name: scheme[member] }));
}

function assertionProblems(
  { grant, assertion }: OAuth2Scheme,
  fields: readonly FieldDescriptor[],
): readonly Problem[] {
  if ((grant === 'jwtBearer') !== (assertion !== null)) {
    const message =
      assertion === null ? 'is required for the grant jwtBearer' : 'is only for the grant jwtBearer';
    return [{ path: ['assertion'], message }];
  }
  const key = fields.find(({ name }) => name === assertion?.privateKeyField);
  return key === undefined || key.isPassword || key.maskInLogs
    ? []
    : [
        {
          path: ['assertion', 'privateKeyField'],
          message: `field '${key.name}' is a private key, so it must have isPassword or maskInLogs`,
        },
      ];
}

function passwordProblems({ grant, tokenParameters }: OAuth2Scheme): readonly Problem[] {
  if (grant !== 'password') return [];
  return ['username', 'password']
    .filter((name) => tokenParameters[name] === undefined)
    .map((name) => ({
      path: ['tokenParameters'],
      message: `the grant password needs the parameter '${name}'`,
    }));
}

function tokenProblems(scheme: OAuth2Scheme): readonly Problem[] {
  const { authorizationUrl, tokenUrl, exchange, refresh, revocation, grant, accessToken } = scheme;
  const addresses: readonly (readonly [path: Problem['path'], url: string | null | undefined])[] = [
    [['authorizationUrl'], authorizationUrl],
    [['pushedAuthorizationUrl'], scheme.pushedAuthorizationUrl],
    [['issuer'], scheme.issuer],
    [['tokenUrl'], tokenUrl],
    [['exchange', 'url'], exchange?.url],
    [['refresh', 'url'], refresh.url],
    [['revocation', 'url'], revocation?.url],
  ];
  const problems: Problem[] = addresses.flatMap(([path, url]) =>
    (url ?? null) === null || ABSOLUTE_URL.test(url ?? '')
      ? []
      : [{ path, message: 'must begin with http(s):// or with a setting or field' }],
  );
  for (const member of grant === 'authorizationCode' ? [] : SIGN_IN_MEMBERS) {
    if (scheme[member] !== null) problems.push({ path: [member], message: 'is only for a sign-in' });
  }
  if (scheme.requiresIssuer && scheme.issuer === null) {
    problems.push({ path: ['requiresIssuer'], message: 'needs the issuer' });
  }
  if (accessToken.in === 'query' && accessToken.prefix !== '') {
    problems.push({ path: ['accessToken', 'prefix'], message: 'must be empty in a query parameter' });
  }
  return problems;
}

function revocationProblems({
  revocation,
  clientAuthentication,
  accessToken,
}: OAuth2Scheme): readonly Problem[] {
  if (revocation === null) return [];
  const problems: Problem[] = [];
  const templates = [revocation.url, ...Object.values(revocation.parameters)];
  const namesToken =
    revocation.tokenParameter !== null ||
    revocation.sendsAccessToken ||
    placeholdersIn(templates).some(({ root }) => root === 'token');
  if (!namesToken) {
    problems.push({
      path: ['revocation', 'tokenParameter'],
      message: 'is required, because nothing else of the request names the token',
    });
  }
  const isAuthorization = accessToken.in === 'header' && accessToken.name.toLowerCase() === 'authorization';
  const isBasic = (revocation.clientAuthentication ?? clientAuthentication) === 'basic';
  if (revocation.sendsAccessToken && isAuthorization && isBasic) {
    problems.push({
      path: ['revocation', 'clientAuthentication'],
      message: 'must not be basic with sendsAccessToken: a request has one Authorization header',
    });
  }
  if (revocation.method === 'GET' && revocation.format !== 'query') {
    problems.push({
      path: ['revocation', 'format'],
      message: 'must be query, because a GET request has no body',
    });
  }
  return problems;
}
