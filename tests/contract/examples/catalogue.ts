import type { PlanRun } from './plan-run.ts';

/** Who calls, and the applications that there are. */
export async function catalogueExamples(run: PlanRun): Promise<void> {
  await run.example('whoami');
  await run.refusal('UNAUTHORIZED', 'whoami', {}, { isAnonymous: true });
  await run.example('listApplications', { query: { search: 'sandbox crm', top: 1 } });
  await run.example('getApplication', { params: { slug: 'sandbox-crm' } });
}
