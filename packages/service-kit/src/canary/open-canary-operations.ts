import { openCanaryChanges } from './changes.ts';
import { followCanaryRoutes } from './follow-routes.ts';
import { collectCanaryReports } from './reports.ts';
import { podApiServer } from '../discovery/api-server.ts';
import type { ServiceParts } from '../lifecycle/start-service.ts';
import type { Nats } from '../nats/nats.ts';
import { createCanaryOperations } from './canary-operations.ts';
import type { CanaryOperations } from './canary-operations.ts';

/** Time for which a request collects the reports of all processes. */
const REPORTS_MS = 1_000;

/** The operations on canaries. Routes that determine weights are followed until the service is closed. */
export function openCanaryOperations(
  { canaries, log, closers }: ServiceParts,
  nats: Pick<Nats, 'bucket' | 'callRoll'>,
): CanaryOperations {
  if (canaries === undefined) return createCanaryOperations(undefined);
  const collect = () => collectCanaryReports(nats, REPORTS_MS);
  const changes = openCanaryChanges(nats);
  // oxlint-disable-next-line node/no-process-env -- the kubelet sets these variables; they are no settings
  const api = () => podApiServer(process.env);
  closers.add('routes of canaries', followCanaryRoutes({ canaries, changes, api, log }));
  return createCanaryOperations({ canaries, changes, collect });
}
