import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { PollRecipe, WebhookRecipe } from '@fairlead/connector-model/trigger-recipes';
import type { TriggerExecution } from '@fairlead/connector-runtime/triggers/trigger-tool';
import {
  FindWebhooksResponseSchema,
  ReadPollResponseSchema,
  RegisterWebhookResponseSchema,
  RemoveWebhookResponseSchema,
  SeedPollResponseSchema,
} from '@fairlead/contracts/tools/v1/trigger_call_service_pb';
import type {
  FindWebhooksRequest,
  FindWebhooksResponse,
  PollCursor as CursorMessage,
  ReadPollResponse,
  RegisterWebhookRequest,
  RegisterWebhookResponse,
  RemoveWebhookRequest,
  RemoveWebhookResponse,
  SeedPollResponse,
  TriggerCall as TriggerCallMessage,
} from '@fairlead/contracts/tools/v1/trigger_call_service_pb';
import { validationError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { z } from 'zod';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { Outcome } from '../domain/execution.ts';
import type { TriggerType } from '../ports/catalog.ts';
import type { TriggerCall } from '../use-cases/executions/call-for-trigger.ts';

const cursorForm = z.object({ since: z.string().nullable(), known: z.array(z.string()) });
const readForm = z.object({
  items: z.array(z.object({ key: z.string(), timeMs: z.number(), payload: z.string() })),
  cursor: cursorForm,
  hasMore: z.boolean(),
  gaps: z.array(z.object({ from: z.string(), to: z.string(), reason: z.string() })),
});
const seedForm = z.object({ cursor: cursorForm });
const registrationForm = z.object({ id: z.string() });
const registrationsForm = z.object({ ids: z.array(z.string()) });

type What = (type: TriggerType) => TriggerExecution;

export function fromTriggerCall(message: TriggerCallMessage | undefined): TriggerCall {
  const { triggerTypeSlug = '', connectionId = 0, configurationJson = new Uint8Array() } = message ?? {};
  const configuration = LazyJson.object(configurationJson, 'configuration').parseObject();
  return { triggerTypeSlug, connectionId, configuration };
}

/** Initializes a poll; VALIDATION_ERROR for a type that is not polled. */
export function seedExecution({ clock }: { readonly clock: Clock }): What {
  return (type) => ({ type: 'seed', recipe: pollOf(type), now: clock.now() });
}

/** Reads new items since a cursor; VALIDATION_ERROR for a type that is not polled. */
export function pollExecution({ clock }: { readonly clock: Clock }, cursor: CursorMessage | undefined): What {
  const from = { since: cursor?.since ?? null, known: cursor?.known ?? [] };
  return (type) => ({ type: 'poll', recipe: pollOf(type), now: clock.now(), cursor: from });
}

/** Registers an address; VALIDATION_ERROR for a type without webhooks. */
export function registerExecution({ url, secret }: RegisterWebhookRequest): What {
  return (type) => ({ type: 'registerWebhook', recipe: webhookOf(type), url, secret });
}

/** Finds the registrations of an address; VALIDATION_ERROR as for registerExecution. */
export function findExecution({ url }: FindWebhooksRequest): What {
  return (type) => ({ type: 'findWebhooks', recipe: webhookOf(type), url });
}

/** Removes a registration; VALIDATION_ERROR as for registerExecution. */
export function removeExecution({ registrationId }: RemoveWebhookRequest): What {
  return (type) => ({ type: 'removeWebhook', recipe: webhookOf(type), id: registrationId });
}

/** Encodes the cursor, or the reason why there is none. */
export function toSeedPollResponse(outcome: Outcome): SeedPollResponse {
  const seeded = outcomeOf(outcome, (output) => ({
    case: 'cursor' as const,
    value: cursorOf(seedForm.parse(output).cursor),
  }));
  return create(SeedPollResponseSchema, { outcome: seeded });
}

/** Encodes the new items, or the reason why nothing was read. */
export function toReadPollResponse(outcome: Outcome): ReadPollResponse {
  const read = outcomeOf(outcome, (output) => {
    const { items, cursor, hasMore, gaps } = readForm.parse(output);
    return {
      case: 'read' as const,
      value: {
        items: items.map(({ key, timeMs, payload }) => ({
          key,
          occurredAt: timestampFromMs(timeMs),
          payload: new TextEncoder().encode(payload),
        })),
        cursor: cursorOf(cursor),
        hasMore,
        gaps: gaps.map(({ from, to, reason }) => ({
          from: timestampFromMs(Date.parse(from)),
          to: timestampFromMs(Date.parse(to)),
          reason,
        })),
      },
    };
  });
  return create(ReadPollResponseSchema, { outcome: read });
}

/** Encodes the registration's id, or the reason why there is none. */
export function toRegisterWebhookResponse(outcome: Outcome): RegisterWebhookResponse {
  const registered = outcomeOf(outcome, (output) => ({
    case: 'registrationId' as const,
    value: registrationForm.parse(output).id,
  }));
  return create(RegisterWebhookResponseSchema, { outcome: registered });
}

/** Encodes the registrations, or the reason why they are unknown. */
export function toFindWebhooksResponse(outcome: Outcome): FindWebhooksResponse {
  const found = outcomeOf(outcome, (output) => ({
    case: 'registrations' as const,
    value: registrationsForm.parse(output),
  }));
  return create(FindWebhooksResponseSchema, { outcome: found });
}

/** Encodes success, or the reason why the registration may still exist. */
export function toRemoveWebhookResponse(outcome: Outcome): RemoveWebhookResponse {
  return create(
    RemoveWebhookResponseSchema,
    outcome.isSuccess ? {} : { failure: { message: outcome.errorMessage } },
  );
}

function outcomeOf<T>(outcome: Outcome, success: (output: JsonObject) => T) {
  return outcome.isSuccess
    ? success(outcome.output)
    : { case: 'failure' as const, value: { message: outcome.errorMessage } };
}

function cursorOf({ since, known }: z.infer<typeof cursorForm>) {
  return { ...(since === null ? {} : { since }), known };
}

function pollOf({ slug, poll }: TriggerType): PollRecipe {
  if (poll !== null) return poll;
  throw validationError({ field: 'triggerTypeSlug', issue: `${slug} is not polled` });
}

function webhookOf({ slug, webhook }: TriggerType): WebhookRecipe {
  if (webhook !== null) return webhook;
  throw validationError({ field: 'triggerTypeSlug', issue: `no application calls for ${slug}` });
}
