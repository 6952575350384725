import type { Clock } from '@fairlead/service-kit/clock';
import { prefixedId } from '@fairlead/service-kit/ids';
import type { FindOpenAccounts } from '../../access/open-accounts.ts';
import type { AuditLog } from '../audit-log.ts';
import { PLATFORM_LOG } from '../domain/entry.ts';
import type { AuditEntry } from '../domain/entry.ts';
import type { AuditEvent } from '../domain/event.ts';
import type { AuditStore } from '../ports/audit-store.ts';

/** What createAuditLog needs. */
export interface AuditLogDeps {
  readonly store: Pick<AuditStore, 'insert'>;
  /** Only open accounts have a log. */
  readonly findOpenAccounts: FindOpenAccounts;
  /** Names a secret of a log without giving it away (Sealer). */
  readonly fingerprint: (accountId: string, secret: string) => Promise<string>;
  readonly clock: Clock;
  /** How long entries are kept. */
  readonly retentionMs: number;
}

/**
 * An audit log over a store. What the operator does to an account stands in the platform's log and in the account's own.
 * What has the form of a secret is kept as its fingerprint, wherever it stands: an id in a path may be a token, or a key
 * that somebody pasted there.
 */
export function createAuditLog(deps: AuditLogDeps): AuditLog {
  return {
    async record(event) {
      for (const accountId of logsOf(event)) {
        // Else the log of an erased account would come back, with what was done last in it.
        if (accountId !== PLATFORM_LOG && !(await isOpen(accountId))) continue;
        await deps.store.insert(await entryFor(event, accountId));
      }
    },
  };

  async function isOpen(accountId: string): Promise<boolean> {
    return (await deps.findOpenAccounts([accountId])).has(accountId);
  }

  async function entryFor(event: AuditEvent, accountId: string): Promise<AuditEntry> {
    const { actor, action, resource, outcome, requestId, details } = await masked(event, accountId);
    const createdAt = deps.clock.now();
    return {
      id: prefixedId('aud'),
      accountId,
      createdAt,
      expiresAt: new Date(createdAt.getTime() + deps.retentionMs),
      actor,
      action,
      resource: resource ?? null,
      outcome,
      requestId,
      details: details === undefined ? null : JSON.stringify(details),
    };
  }

  async function masked(event: AuditEvent, accountId: string): Promise<AuditEvent> {
    const mask = (text: string) => maskSecrets(text, (secret) => deps.fingerprint(accountId, secret));
    const { resource, details } = event;
    return {
      ...event,
      requestId: await mask(event.requestId),
      ...(resource && { resource: { type: resource.type, id: await mask(resource.id) } }),
      // Masked as text, because a secret may stand in a name as well as in a value.
      ...(details && { details: JSON.parse(await mask(JSON.stringify(details))) as typeof details }),
    };
  }
}

function logsOf({ accountId, actor, resource }: AuditEvent): readonly string[] {
  if (accountId !== undefined) return [accountId];
  const isAboutAccount = actor.kind === 'operator' && resource?.type === 'account';
  return isAboutAccount ? [PLATFORM_LOG, resource.id] : [PLATFORM_LOG];
}

/** What a secret of this platform looks like: API keys, client secrets, and tokens that are ids (completion.md "Names"). */
const SECRET = /\b(?:fairlead(?:_secret)?|mcp)_[0-9A-Za-z]{16,}/g;

/** `text` with every secret of ours as `hmac:` and what `fingerprint` makes of it. */
async function maskSecrets(text: string, fingerprint: (secret: string) => Promise<string>): Promise<string> {
  const secrets = new Set(text.match(SECRET));
  let masked = text;
  for (const secret of secrets) masked = masked.replaceAll(secret, `hmac:${await fingerprint(secret)}`);
  return masked;
}
