import type { TriggerTypeDefinition } from '@fairlead/connector-model/model';
import { ApiError, validationError } from '@fairlead/errors/api-error';
import type { FieldIssue } from '@fairlead/errors/api-error';
import type { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { Secret } from '@fairlead/service-kit/secret';

/** A period in which a trigger may have missed firings. */
export interface Gap {
  readonly from: Date;
  readonly to: Date;
  readonly reason: string;
}

/** The members of a trigger that users set. */
export interface TriggerContent {
  readonly name: string;
  /** Must match the type's `configSchema`. */
  readonly configuration: LazyJson;
  /** JSONata over the payload; null: every firing becomes an event. */
  readonly filter: string | null;
  /** `dst_…`, without duplicates; tests go to the first one. */
  readonly destinationIds: readonly string[];
  readonly isEnabled: boolean;
}

/** A trigger of an account. Its connection and destinations may no longer exist. */
export interface Trigger extends TriggerContent {
  /** `trg_…` */
  readonly id: string;
  readonly triggerTypeSlug: string;
  /** Slug of the application of its type and its connection. */
  readonly applicationSlug: string;
  readonly connectionId: number;
  /** Incremented by every user change; runs for an earlier generation commit nothing. */
  readonly generation: number;
  /** When it was last enabled; null while disabled. */
  readonly enabledAt: Date | null;
  /** Id of the vendor webhook that it needs; null: its type needs none, or it is disabled. */
  readonly webhookId: string | null;
  /** Secret token of its address; null if it has no public address. */
  readonly hookToken: Secret | null;
  readonly lastFiredAt: Date | null;
  readonly lastError: string | null;
  /** The last ten, oldest first. */
  readonly gaps: readonly Gap[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A trigger type and its application. */
export interface TriggerType extends TriggerTypeDefinition {
  readonly applicationSlug: string;
  readonly applicationName: string;
}

/** The type whose triggers have public addresses. */
export const HTTP_WEBHOOK = 'http_webhook';

/** `lastError` of a trigger disabled because its connection is gone. */
export const CONNECTION_DELETED = 'The connection of the trigger was deleted.';

/** Limits of triggers; see docs/limits.md. */
export const TRIGGER_LIMITS = {
  perAccount: 1_000,
  nameCharacters: 200,
  destinations: 50,
  filterCharacters: 4_096,
  configurationBytes: 64 * 1024,
  errorCharacters: 1_000,
} as const;

/** The CONFLICT for an account with the maximum number of triggers. */
export function tooManyTriggers(): ApiError {
  return new ApiError('CONFLICT', `An account has at most ${TRIGGER_LIMITS.perAccount} triggers.`);
}

const DESTINATION_ID = /^dst_[0-9A-Za-z]{1,64}$/;

/** Throws VALIDATION_ERROR naming every invalid member; does not check that named records exist. */
export function checkTriggerBounds(content: Partial<TriggerContent>): void {
  const { name, configuration, filter = null, destinationIds = [] } = content;
  const issues: FieldIssue[] = [];
  const { nameCharacters, destinations, filterCharacters, configurationBytes } = TRIGGER_LIMITS;
  if (name !== undefined && (name.trim() === '' || Array.from(name).length > nameCharacters))
    issues.push({ field: 'name', issue: `must have 1 to ${nameCharacters} characters and not be blank` });
  if (filter !== null && (filter.trim() === '' || filter.length > filterCharacters))
    issues.push({
      field: 'filter',
      issue: `must be JSONata of at most ${filterCharacters} characters, or null`,
    });
  if (configuration !== undefined && configuration.bytes.length > configurationBytes)
    issues.push({
      field: 'configuration',
      issue: `must be at most ${configurationBytes / 1024} KiB of JSON`,
    });
  if (destinationIds.length > destinations)
    issues.push({ field: 'destinationIds', issue: `must have at most ${destinations} items` });
  destinationIds.forEach((id, index) => {
    if (!DESTINATION_ID.test(id))
      issues.push({ field: `destinationIds[${index}]`, issue: 'must be the id of a destination' });
  });
  if (issues.length > 0) throw validationError(...issues);
}
