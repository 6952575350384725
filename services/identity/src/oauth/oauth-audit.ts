import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { AuditLog } from 'CROSS:services/gateway/src/audit/audit-log.ts';
import type { AuditActor } from 'CROSS:services/gateway/src/audit/domain/event.ts';
import type { GrantOwner } from '../ports/grant-store.ts';

/** The request that an event is recorded for. */
export interface AuditContext {
  readonly requestId: string;
  readonly log: Logger;
}

/** What the authorization server records in the audit log. */
export interface OAuthAudit {
  consentGranted(
    at: AuditContext,
    grantId: string,
    owner: GrantOwner,
    scopes: readonly string[],
  ): Promise<void>;
  /** `isReuse`: because a code or refresh token was used twice, possibly by a thief. */
  grantEnded(at: AuditContext, grantId: string, owner: GrantOwner, isReuse: boolean): Promise<void>;
  clientRegistered(at: AuditContext, clientId: string, redirectUris: readonly string[]): Promise<void>;
}

/** Records in `audit`. A consent that cannot be recorded is refused; an end of access happens anyway, and is logged. */
export function createOAuthAudit(audit: AuditLog): OAuthAudit {
  const userOf = ({ userId }: GrantOwner): AuditActor => ({ kind: 'user', userId });
  const resourceOf = (grantId: string) => ({ type: 'oauthGrant', id: grantId });
  return {
    consentGranted: ({ requestId }, grantId, owner, scopes) =>
      audit.record({
        accountId: owner.accountId,
        actor: userOf(owner),
        action: 'oauth.consentGranted',
        resource: resourceOf(grantId),
        outcome: 'succeeded',
        requestId,
        details: { clientId: owner.clientId, scopes: [...scopes] },
      }),
    async grantEnded({ requestId, log }, grantId, owner, isReuse) {
      try {
        await audit.record({
          accountId: owner.accountId,
          actor: isReuse ? { kind: 'system' } : userOf(owner),
          action: isReuse ? 'oauth.reuseDetected' : 'oauth.grantRevoked',
          resource: resourceOf(grantId),
          outcome: 'succeeded',
          requestId,
          details: { clientId: owner.clientId, userId: owner.userId },
        });
      } catch (error) {
        log.error({ err: error, grantId }, 'could not record that a grant ended');
      }
    },
    clientRegistered: ({ requestId }, clientId, redirectUris) =>
      audit.record({
        accountId: undefined,
        actor: { kind: 'system' },
        action: 'oauth.clientRegistered',
        resource: { type: 'oauthClient', id: clientId },
        outcome: 'succeeded',
        requestId,
        details: { redirectUris: [...redirectUris] },
      }),
  };
}
