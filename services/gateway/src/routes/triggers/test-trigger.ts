import { ApiError, notFound } from '@fairlead/errors/api-error';
import type { Trigger } from '@fairlead/contracts/triggers/v1/trigger_pb';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { z } from 'zod';
import { text } from '@fairlead/rest-kit/fields';
import { required } from '@fairlead/rest-records/values';
import type { Services } from '../../services.ts';
import { defineRoute } from '../define-route.ts';
import { triggerParams } from './inputs.ts';

/** Exceeds the 10 s that delivery gives a destination, so that its timeout is reported as the result of the test. */
const SEND_TIMEOUT_MS = 15_000;

const response = z
  .strictObject({
    delivered: z.boolean().describe('Whether the destination answered with a 2xx.'),
    status_code: z.int32().nullable().describe('Null without a response.'),
    error: z
      .string()
      .nullable()
      .describe(
        'A short code, such as `timeout`, `connection_refused` or `http_500`; null if it was delivered.',
      ),
  })
  .meta({ id: 'TriggerTestResult' });

export const testTrigger = defineRoute(
  {
    operationId: 'testTrigger',
    method: 'post',
    path: '/v1/triggers/{triggerId}/test',
    tags: ['Triggers'],
    summary: 'Test a trigger',
    description:
      'Sends a synthetic event with the payload `{"test": true}`, signed with the destination’s real secret, to the first ' +
      'of the trigger’s destinations, enabled or not, and returns the result of this one attempt. Nothing is stored. A call that sends uses the budget ' +
      '`triggerTestPerMinute`.',
    services: ['triggers', 'destinations', 'limits'],
    permission: 'triggers.write',
    params: triggerParams,
    resource: 'trigger',
    query: z.object({
      destinationId: text(1, 100).optional().describe('Sends to this one of its destinations instead.'),
    }),
    response,
    callsApplication: true,
    errors: ['NO_DESTINATION'],
  },
  async ({ ctx, principal, params: { triggerId }, query: { destinationId: requestedId }, services }) => {
    const trigger = required((await services.triggers.getTrigger(ctx, { id: triggerId })).trigger);
    const destinationId = await destinationOf(services, ctx, trigger, requestedId);
    const verdict = await services.limits.takeTriggerTest(principal);
    if (!verdict.isAllowed)
      throw new ApiError(
        'RATE_LIMIT_EXCEEDED',
        'The account has used up its trigger tests for this minute.',
        {
          retryAfterSeconds: verdict.retryAfterSeconds,
        },
      );
    const { delivered, statusCode, error } = await services.destinations.sendTest(
      ctx,
      { destinationId, triggerId: trigger.id, triggerType: trigger.triggerTypeSlug },
      { timeoutMs: SEND_TIMEOUT_MS },
    );
    return { delivered, status_code: statusCode ?? null, error: error ?? null };
  },
);

/**
 * The destination to test: the requested one, or else the trigger's first. Undefined if it was deleted: a test that cannot be sent then
 * uses no budget.
 */
async function destinationOf(
  { destinations }: Pick<Services, 'destinations'>,
  ctx: RequestContext,
  { destinationIds }: Trigger,
  requestedId: string | undefined,
): Promise<string> {
  const candidates =
    requestedId === undefined ? destinationIds : destinationIds.filter((id) => id === requestedId);
  const { ids } = await destinations.findDestinations(ctx, { ids: candidates });
  const destinationId = candidates.find((id) => ids.includes(id));
  if (destinationId !== undefined) return destinationId;
  if (requestedId !== undefined) throw notFound('destination');
  throw new ApiError('NO_DESTINATION', 'The trigger has no destination. Add one to its destinationIds.');
}
