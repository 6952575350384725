import type { PlanRun } from './plan-run.ts';

/** Examples of whoami and the catalogue. */
export async function catalogueExamples(run: PlanRun): Promise<void> {
  await run.example('whoami');
  await run.refusal('UNAUTHORIZED', 'whoami', {}, { isAnonymous: true });
  await run.example('listApplications', { query: { search: 'sandbox crm', top: 1 } });
  await run.example('getApplication', { params: { slug: 'sandbox-crm' } });
}
