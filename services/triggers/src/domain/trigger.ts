import type { TriggerTypeDefinition } from '@fairlead/connector-model/model';
import { ApiError, validationError } from '@fairlead/errors/api-error';
import type { FieldIssue } from '@fairlead/errors/api-error';
import type { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { Secret } from '@fairlead/service-kit/secret';

/** A time during which a trigger may have missed firings. */
export interface Gap {
  readonly from: Date;
  readonly to: Date;
  readonly reason: string;
}

/** The members of a trigger that people write. */
export interface TriggerContent {
  readonly name: string;
  /** Matches the type's `configSchema`. */
  readonly configuration: LazyJson;
  /** JSONata over the payload; null: every firing is an event. */
  readonly filter: string | null;
  /** `dst_…`, each once; a test goes to the first one. */
  readonly destinationIds: readonly string[];
  readonly isEnabled: boolean;
}

/** A trigger of an account. The connection and destinations that it names may be gone. */
export interface Trigger extends TriggerContent {
  /** `trg_…` */
  readonly id: string;
  readonly triggerTypeSlug: string;
  /** The application of its type and of its connection. */
  readonly applicationSlug: string;
  readonly connectionId: number;
  /** Raised by every change that people make: what runs for an earlier one commits nothing. */
  readonly generation: number;
  /** Since when it has been enabled without a break; null while it is disabled. */
  readonly enabledAt: Date | null;
  /** The registration at its vendor that it wants; null: its type has none, or it is disabled. */
  readonly webhookId: string | null;
  /** The secret part of its address; null unless anybody may call it over HTTP. */
  readonly hookToken: Secret | null;
  readonly lastFiredAt: Date | null;
  readonly lastError: string | null;
  /** The last ten, oldest first. */
  readonly gaps: readonly Gap[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A trigger type with the application that it belongs to. */
export interface TriggerType extends TriggerTypeDefinition {
  readonly applicationSlug: string;
  readonly applicationName: string;
}

/** The type whose triggers anybody may call over HTTP. */
export const HTTP_WEBHOOK = 'http_webhook';

/** Why a trigger is disabled whose connection is gone, for people. */
export const CONNECTION_DELETED = 'The connection of the trigger was deleted.';

/** The bounds of triggers; docs/limits.md names them. */
export const TRIGGER_LIMITS = {
  perAccount: 1_000,
  nameCharacters: 200,
  destinations: 50,
  filterCharacters: 4_096,
  configurationBytes: 64 * 1024,
  errorCharacters: 1_000,
} as const;

/** CONFLICT: the account has as many triggers as it may have. */
export function tooManyTriggers(): ApiError {
  return new ApiError('CONFLICT', `An account has at most ${TRIGGER_LIMITS.perAccount} triggers.`);
}

const DESTINATION_ID = /^dst_[0-9A-Za-z]{1,64}$/;

/** VALIDATION_ERROR naming every member that is out of bounds; what it names is not looked at. */
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
