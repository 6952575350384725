import { IntercomClient } from 'intercom-client';

const at = (url) => new IntercomClient({ token: 'token', baseUrl: url, maxRetries: 0 });

export const origin = 'https://api.{{field.region}}.io';
export const authenticationId = 0;
export const fields = { accessToken: 'token', region: 'intercom' };
export const cases = [
  {
    tool: 'intercom-get-contact',
    input: { id: 'c1' },
    sdk: (url) => at(url).contacts.find({ contact_id: 'c1' }),
  },
  {
    tool: 'intercom-create-contact',
    input: { role: 'user', email: 'ada@example.com' },
    sdk: (url) => at(url).contacts.create({ role: 'user', email: 'ada@example.com' }),
  },
  {
    tool: 'intercom-delete-contact',
    input: { id: 'c1' },
    sdk: (url) => at(url).contacts.delete({ contact_id: 'c1' }),
  },
  {
    tool: 'intercom-archive-contact',
    input: { id: 'c1' },
    sdk: (url) => at(url).contacts.archive({ contact_id: 'c1' }),
  },
  {
    tool: 'intercom-create-contact-note',
    input: { id: 'c1', body: 'Hello', adminId: '3' },
    sdk: (url) => at(url).notes.create({ contact_id: 'c1', body: 'Hello', admin_id: '3' }),
  },
  {
    tool: 'intercom-tag-contact',
    input: { contact: 'c1', tag: '7' },
    sdk: (url) => at(url).tags.tagContact({ contact_id: 'c1', id: '7' }),
  },
  {
    tool: 'intercom-get-company',
    input: { id: 'k1' },
    sdk: (url) => at(url).companies.find({ company_id: 'k1' }),
  },
  {
    tool: 'intercom-reply-to-conversation',
    input: { id: 'v1', type: 'comment', body: 'Hello', adminId: '3' },
    sdk: (url) =>
      at(url).conversations.reply({
        conversation_id: 'v1',
        body: { message_type: 'comment', type: 'admin', admin_id: '3', body: 'Hello' },
      }),
  },
  {
    tool: 'intercom-get-article',
    input: { id: 7 },
    sdk: (url) => at(url).articles.find({ article_id: 7 }),
  },
  { tool: 'intercom-list-teammates', input: {}, sdk: (url) => at(url).admins.list() },
  { tool: 'intercom-list-teams', input: {}, sdk: (url) => at(url).teams.list() },
];
