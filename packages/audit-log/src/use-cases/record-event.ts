import type { Clock } from '@fairlead/service-kit/clock';
import { prefixedId } from '@fairlead/service-kit/ids';
import type { FindOpenAccounts } from '../ports/open-accounts.ts';
import type { AuditLog, FetchedEventLog } from '../audit-log.ts';
import { PLATFORM_LOG } from '../domain/entry.ts';
import type { AuditEntry } from '../domain/entry.ts';
import type { AuditEvent } from '../domain/event.ts';
import type { AuditStore } from '../ports/audit-store.ts';
export interface AuditLogDeps {
  readonly store: Pick<AuditStore, 'insert' | 'insertMissing'>;
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
export function createAuditLog(deps: AuditLogDeps): AuditLog & FetchedEventLog {
  return {
    async record(event) {
      for (const accountId of logsOf(event)) {
        if (!(await findOpenLogs([accountId])).has(accountId)) continue;
        await deps.store.insert(await entryFor(event, accountId, prefixedId('aud'), deps.clock.now()));
      }
    },

    async recordFetched(events) {
      const open = await findOpenLogs(events.map(({ event }) => logOf(event)));
      const entries: AuditEntry[] = [];
      for (const { event, entryId, occurredAt } of events) {
        if (open.has(logOf(event))) entries.push(await entryFor(event, logOf(event), entryId, occurredAt));
      }
      // An entry that has expired was removed: it must not reappear because its event is fetched again.
      const kept = entries.filter(({ expiresAt }) => expiresAt > deps.clock.now());
      if (kept.length > 0) await deps.store.insertMissing(kept);
    },
  };

  /** The given logs without those of accounts that are being erased: an entry would recreate a log that is already erased. */
  async function findOpenLogs(logs: readonly string[]): Promise<ReadonlySet<string>> {
    const accountIds = [...new Set(logs)].filter((log) => log !== PLATFORM_LOG);
    const open = accountIds.length > 0 ? await deps.findOpenAccounts(accountIds) : [];
    return new Set([...open, PLATFORM_LOG]);
  }

  async function entryFor(
    event: AuditEvent,
    accountId: string,
    id: string,
    createdAt: Date,
  ): Promise<AuditEntry> {
    const { actor, action, resource, outcome, requestId, details } = await maskEvent(event, accountId);
    return {
      id,
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

  async function maskEvent(event: AuditEvent, accountId: string): Promise<AuditEvent> {
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

function logOf({ accountId = PLATFORM_LOG }: AuditEvent): string {
  return accountId;
}

function logsOf(event: AuditEvent): readonly string[] {
  const { accountId, actor, resource } = event;
  const isAboutAccount = accountId === undefined && actor.kind === 'operator' && resource?.type === 'account';
  return isAboutAccount ? [PLATFORM_LOG, resource.id] : [logOf(event)];
}

/** The form of this platform's secrets: API keys, client secrets, and tokens that serve as ids (rows completion.names.1 to 5). */
const SECRET = /\b(?:fairlead(?:_secret)?|mcp)_[0-9A-Za-z]{16,}/g;

/** `text` with each secret of this platform replaced by `hmac:` and its fingerprint. */
async function maskSecrets(text: string, fingerprint: (secret: string) => Promise<string>): Promise<string> {
  const secrets = new Set(text.match(SECRET));
  let masked = text;
  for (const secret of secrets) masked = masked.replaceAll(secret, `hmac:${await fingerprint(secret)}`);
  return masked;
}
