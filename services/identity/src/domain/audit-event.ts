import type { GrantOwner } from './grant.ts';

/** An action of the authorization server, for the audit log of the account or, without one, of the platform. */
export interface AuditEvent {
  /** Undefined if the event concerns no single account. */
  readonly accountId: string | undefined;
  readonly actor: { readonly kind: 'user'; readonly userId: string } | { readonly kind: 'system' };
  readonly action:
    'oauth.consentGranted' | 'oauth.grantRevoked' | 'oauth.reuseDetected' | 'oauth.clientRegistered';
  readonly resource: { readonly type: 'oauthGrant' | 'oauthClient'; readonly id: string };
  readonly requestId: string;
  readonly occurredAt: Date;
  readonly details: Readonly<Record<string, string | string[]>>;
}

/** Client address and time of an event. */
type Occurrence = Pick<AuditEvent, 'requestId' | 'occurredAt'>;

/** A user allowed a client to act for them. */
export function consentGranted(
  at: Occurrence,
  grantId: string,
  { accountId, userId, clientId }: GrantOwner,
  scopes: readonly string[],
): AuditEvent {
  return {
    ...at,
    accountId,
    actor: { kind: 'user', userId },
    action: 'oauth.consentGranted',
    resource: { type: 'oauthGrant', id: grantId },
    details: { clientId, scopes: [...scopes] },
  };
}

/** A grant ended. `isReuse`: because a code or refresh token was used twice, possibly by a thief. */
export function grantEnded(
  at: Occurrence,
  grantId: string,
  { accountId, userId, clientId }: GrantOwner,
  isReuse: boolean,
): AuditEvent {
  return {
    ...at,
    accountId,
    actor: isReuse ? { kind: 'system' } : { kind: 'user', userId },
    action: isReuse ? 'oauth.reuseDetected' : 'oauth.grantRevoked',
    resource: { type: 'oauthGrant', id: grantId },
    details: { clientId, userId },
  };
}

/** A client registered itself; it belongs to no account. */
export function clientRegistered(
  at: Occurrence,
  clientId: string,
  redirectUris: readonly string[],
): AuditEvent {
  return {
    ...at,
    accountId: undefined,
    actor: { kind: 'system' },
    action: 'oauth.clientRegistered',
    resource: { type: 'oauthClient', id: clientId },
    details: { redirectUris: [...redirectUris] },
  };
}
