import type { Clock } from '@fairlead/service-kit/clock';
import { prefixedId } from '@fairlead/service-kit/ids';
import type { FindOpenAccounts } from '../../authentication/accounts.ts';
import type { AuditLog } from '../audit-log.ts';
import { PLATFORM_LOG } from '../domain/entry.ts';
import type { AuditEntry } from '../domain/entry.ts';
import type { AuditEvent } from '../domain/event.ts';
import type { AuditStore } from '../ports/audit-store.ts';

/** The dependencies of createAuditLog. */
export interface AuditLogDeps {
  readonly store: Pick<AuditStore, 'insert'>;
  /** Only open accounts have a log. */
  readonly findOpenAccounts: FindOpenAccounts;
  /** Identifies a secret in a log without revealing it (Sealer). */
  readonly fingerprint: (accountId: string, secret: string) => Promise<string>;
  readonly clock: Clock;
  /** How long entries are kept. */
  readonly retentionMs: number;
}

/**
 * An audit log over a store. The operator's actions on an account are recorded in the platform's log and in the
 * account's own. Text in the form of a secret is stored as its fingerprint, wherever it occurs: an id in a path may be
 * a token, or a key pasted by mistake.
 */
export function createAuditLog(deps: AuditLogDeps): AuditLog {
  return {
    async record(event) {
      for (const accountId of logsOf(event)) {
        // Otherwise the log of an erased account would reappear with its last action.
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
      // Masked as text, because a secret may occur in a member's name as well as in its value.
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

/** `text` with each of our secrets replaced by `hmac:` and its fingerprint. */
async function maskSecrets(text: string, fingerprint: (secret: string) => Promise<string>): Promise<string> {
  const secrets = new Set(text.match(SECRET));
  let masked = text;
  for (const secret of secrets) masked = masked.replaceAll(secret, `hmac:${await fingerprint(secret)}`);
  return masked;
}
