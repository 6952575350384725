import type { PlanRun } from './plan-run.ts';

/** Files. */
export async function fileExamples(run: PlanRun): Promise<void> {
  const content = { type: 'text/csv', text: 'name,email\nAda Lovelace,ada@example.com\n' };
  const { fileId, url } = await run.example('uploadFile', { query: { name: 'contacts.csv' }, content });
  const params = { fileId };
  await run.example('getFile', { params });
  const token = new URL(url).searchParams.get('token') ?? '';
  await run.example('downloadFile', { params, query: { token } });
  await run.example('deleteFile', { params });
}
