import type { PlanRun } from './plan-run.ts';

/** Examples of connect sessions and end users. */
export async function endUserExamples(run: PlanRun): Promise<void> {
  const body = { endUserId: 'customer-1', applicationSlugs: ['sandbox-crm'], expiresInMinutes: 30 };
  const { sessionId } = await run.example('createConnectSession', { body });
  await run.example('getConnectSession', { params: { sessionId } });
  await run.example('endConnectSession', { params: { sessionId } });
  await run.example('deleteEndUser', { params: { endUserId: 'customer-1' } });
}
