import type { Json, PlanRun } from './plan-run.ts';

/** Examples of destinations, triggers and events. */
export async function triggerExamples(run: PlanRun): Promise<void> {
  await run.example('listTriggerTypes', { query: { applicationSlug: 'sandbox-crm', top: 1 } });
  const destination = { name: 'Our backend', url: run.surroundings.receiverUrl };
  const { id: destinationId } = await run.example('createDestination', { body: destination });
  await run.example('getDestination', { params: { id: destinationId } });
  await run.example('updateDestination', { params: { id: destinationId }, body: { name: 'Backend' } });
  await run.example('listDestinations');
  await run.example('rotateDestinationSecret', { params: { id: destinationId } });
  const body = {
    name: 'Orders of the shop',
    triggerTypeSlug: 'http_webhook',
    filter: 'body.total > 100',
    destinationIds: [destinationId],
  };
  const { id: triggerId, inboundUrl } = await run.example('createTrigger', { body });
  const params = { triggerId };
  await run.example('getTrigger', { params });
  await run.example('listTriggers');
  await run.example('testTrigger', { params });
  await eventExamples(run, String(inboundUrl));
  await run.example('updateTrigger', { params, body: { filter: 'body.total > 500' } });
  await run.example('deleteTrigger', { params });
  await run.example('deleteDestination', { params: { id: destinationId } });
}

async function eventExamples(run: PlanRun, inboundUrl: string): Promise<void> {
  const from = new Date(Date.now() - 60_000).toISOString();
  const answer = await fetch(inboundUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ order: 'A-1001', total: 250 }),
  });
  // The contract has this member.
  const { id: eventId } = (await answer.json()) as Json;
  const params = { eventId };
  await run.until(
    () => run.call('getEvent', { params }),
    ({ event }) => event?.delivery === 'delivered',
  );
  await run.example('listEvents', { query: { delivery: 'delivered' } });
  await run.example('getEvent', { params });
  await run.example('getEventBody', { params });
  await run.example('replayEvent', { params });
  await run.example('replayEvents', { body: { from, delivery: 'delivered' } });
}
