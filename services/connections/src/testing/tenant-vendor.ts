import { createHash } from 'node:crypto';
import { compileManifest } from '@fairlead/connector-model/compile-manifest';
import type { Connector } from '@fairlead/connector-model/model';
import type {
  ReceivedRequest,
  TestResponse,
  TestServer,
} from '@fairlead/connector-runtime/testing/http-server';
import { startTestServer } from '@fairlead/connector-runtime/testing/http-server';

/** The values that the vendor sends with tokens; undefined: none. */
export interface Extras {
  realmId: string | undefined;
  instanceUrl: string | undefined;
}

/** A vendor on loopback whose addresses contain a tenant; its responses contain company and API address. */
export interface TenantVendor extends TestServer {
  readonly extras: Extras;
}

/** Starts it: OAuth 2 with PKCE below `/<tenant>`, an API below `/<tenant>/company/<realmId>`. */
export async function startTenantVendor(): Promise<TenantVendor> {
  const challenges = new Map<string, string>();
  const extras: Extras = { realmId: '4620816365', instanceUrl: undefined };
  let issued = 0;

  function authorize({ query }: ReceivedRequest): TestResponse {
    const code = `code-${(issued += 1)}`;
    challenges.set(code, query.get('code_challenge') ?? '');
    const back = new URL(query.get('redirect_uri') ?? '');
    back.searchParams.set('code', code);
    back.searchParams.set('state', query.get('state') ?? '');
    if (extras.realmId !== undefined) back.searchParams.set('realmId', extras.realmId);
    return { status: 302, headers: { location: back.href } };
  }

  function token({ body }: ReceivedRequest): TestResponse {
    const form = new URLSearchParams(body);
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isCode = form.get('grant_type') === 'authorization_code';
    if (isCode && challenges.get(form.get('code') ?? '') !== verifier) {
      return { status: 400, body: { error: 'invalid_grant' } };
    }
    const number = (issued += 1);
    return {
      body: {
        access_token: `access-${number}`,
        refresh_token: `refresh-${number}`,
        expires_in: 3600,
        ...(extras.instanceUrl !== undefined && { instance_url: extras.instanceUrl }),
      },
    };
  }

  const server = await startTestServer((request) => {
    if (request.path.endsWith('/authorize')) return authorize(request);
    if (request.path.endsWith('/token')) return token(request);
    return { body: {} };
  });
  extras.instanceUrl = server.url;
  return { ...server, extras };
}

/**
 * The connector `books` for that vendor. Method 0: tenants of the vendor. Methods 1 and 2: self-hosted installations. Method 3: the
 * vendor's clients.
 */
export function tenantConnector(vendorUrl: string): Connector {
  const result = compileManifest(manifest(vendorUrl), { directory: 'books', file: 'books/connector.yaml' });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.connector;
}

const manifest = (vendorUrl: string): string => `
slug: books
name: Books
description: Accounts.
version: 1.0.0
authenticationMethods:
  - authenticationId: 0
    authenticationName: Sign-in
    isDefault: true
    baseUrl: '{{field.instanceUrl}}/{{field.tenant}}/company/{{field.realmId}}'
    fields:
      - &id { name: clientId, label: Id, description: Id., isRequired: true, providerSlot: Key1 }
      - &secret { name: clientSecret, label: Secret, description: Secret., isRequired: true, isPassword: true, providerSlot: Key2 }
      - { name: tenant, label: Tenant, description: Tenant., isRequired: true, atSignIn: true, pattern: '[a-z]{1,20}' }
      - { name: pin, label: PIN, description: PIN., isPassword: true, atSignIn: true }
      - { name: realmId, label: Company, description: Company., isRequired: true, pattern: '[0-9]{1,20}', capturedFrom: { type: callback, parameter: realmId } }
      - &instanceUrl { name: instanceUrl, label: Address, description: Address., isRequired: true, allowedHosts: [127.0.0.1], capturedFrom: { type: tokenResponse, pointer: /instance_url } }
    scheme:
      type: oauth2
      grant: authorizationCode
      authorizationUrl: ${vendorUrl}/{{field.tenant}}/authorize
      tokenUrl: ${vendorUrl}/{{field.tenant}}/token
      tokenParameters: { pin: '{{field.pin}}' }
      allowsAuthProvider: true
    test: { type: http, request: { url: /whoami } }
  - authenticationId: 1
    authenticationName: Own installation
    baseUrl: '{{field.address}}/api'
    fields:
      - *id
      - *secret
      - &address { name: address, label: Address, description: Address., isRequired: true, allowedHosts: ['*'], providerSlot: BaseUrl }
    scheme:
      type: oauth2
      grant: authorizationCode
      authorizationUrl: '{{field.address}}/authorize'
      tokenUrl: '{{field.address}}/token'
      allowsAuthProvider: true
    test: { type: http, request: { url: /whoami } }
  - authenticationId: 2
    authenticationName: Client of an own installation
    baseUrl: '{{field.address}}/api'
    fields: [*id, *secret, *address]
    scheme: { type: oauth2, grant: clientCredentials, tokenUrl: '{{field.address}}/token', allowsAuthProvider: true }
    test: { type: http, request: { url: /whoami } }
  - authenticationId: 3
    authenticationName: Client of the vendor
    baseUrl: '{{field.instanceUrl}}/services'
    fields: [*id, *secret, *instanceUrl]
    scheme: { type: oauth2, grant: clientCredentials, tokenUrl: ${vendorUrl}/oauth/token }
    test: { type: http, request: { url: /whoami } }
tools: []
`;
