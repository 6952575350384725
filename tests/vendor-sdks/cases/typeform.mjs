import { createClient } from '@typeform/api-client';

const at = (url) => createClient({ token: 'token', apiBaseUrl: url });
const since = '2026-01-01T00:00:00Z';

export const origin = 'https://api.typeform.com';
export const authenticationId = 1;
export const fields = { accessToken: 'token' };
export const cases = [
  {
    tool: 'typeform-list-workspaces',
    input: { search: 'Sales' },
    top: 50,
    sdk: (url) => at(url).workspaces.list({ page: 1, pageSize: 50, search: 'Sales' }),
  },
  { tool: 'typeform-get-form', input: { form_id: 'f1' }, sdk: (url) => at(url).forms.get({ uid: 'f1' }) },
  {
    tool: 'typeform-rename-form',
    input: { form_id: 'f1', title: 'Survey' },
    sdk: (url) =>
      at(url).forms.update({ uid: 'f1', data: [{ op: 'replace', path: '/title', value: 'Survey' }] }),
  },
  {
    tool: 'typeform-delete-form',
    input: { form_id: 'f1' },
    sdk: (url) => at(url).forms.delete({ uid: 'f1' }),
  },
  {
    tool: 'typeform-get-form-messages',
    input: { form_id: 'f1' },
    sdk: (url) => at(url).forms.messages.get({ uid: 'f1' }),
  },
  {
    tool: 'typeform-get-form-insights',
    input: { form_id: 'f1' },
    sdk: (url) => at(url).insights.summary({ uid: 'f1' }),
  },
  {
    tool: 'typeform-list-responses',
    input: { form_id: 'f1', since, query: 'Ada', fields: ['q1', 'q2'] },
    top: 50,
    sdk: (url) =>
      at(url).responses.list({ uid: 'f1', pageSize: 50, since, query: 'Ada', fields: ['q1', 'q2'] }),
  },
  {
    tool: 'typeform-create-workspace',
    input: { name: 'Sales' },
    sdk: (url) => at(url).workspaces.add({ name: 'Sales' }),
  },
  {
    tool: 'typeform-save-webhook',
    input: { form_id: 'f1', tag: 'crm', url: 'https://example.com/hook', enabled: true, secret: 's3' },
    sdk: (url) =>
      at(url).webhooks.create({
        uid: 'f1',
        tag: 'crm',
        url: 'https://example.com/hook',
        enabled: true,
        secret: 's3',
      }),
  },
  {
    tool: 'typeform-delete-webhook',
    input: { form_id: 'f1', tag: 'crm' },
    sdk: (url) => at(url).webhooks.delete({ uid: 'f1', tag: 'crm' }),
  },
];
