import { Client } from '@larksuiteoapi/node-sdk';

const quiet = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {}, trace: () => {} };
const at = (url) =>
  new Client({ appId: 'id', appSecret: 'secret', domain: url, disableTokenCache: true, logger: quiet });

export const origin = '{{field.domain}}';
export const authenticationId = 0;
export const accessToken = 'token';
export const fields = { domain: 'https://open.larksuite.com' };
const table = { app_token: 'b1', table_id: 't1' };
export const cases = [
  {
    tool: 'lark-send-message',
    input: { receive_id_type: 'chat_id', receive_id: 'oc_1', msg_type: 'text', content: '{"text":"Hello"}' },
    sdk: (url) =>
      at(url).im.message.create({
        params: { receive_id_type: 'chat_id' },
        data: { receive_id: 'oc_1', msg_type: 'text', content: '{"text":"Hello"}' },
      }),
  },
  {
    tool: 'lark-reply-message',
    input: { message_id: 'om_1', msg_type: 'text', content: '{"text":"Yes"}', reply_in_thread: true },
    sdk: (url) =>
      at(url).im.message.reply({
        path: { message_id: 'om_1' },
        data: { msg_type: 'text', content: '{"text":"Yes"}', reply_in_thread: true },
      }),
  },
  {
    tool: 'lark-add-reaction',
    input: { message_id: 'om_1', emoji: 'SMILE' },
    sdk: (url) =>
      at(url).im.messageReaction.create({
        path: { message_id: 'om_1' },
        data: { reaction_type: { emoji_type: 'SMILE' } },
      }),
  },
  {
    tool: 'lark-find-users',
    input: { emails: ['ada@example.com'] },
    sdk: (url) => at(url).contact.user.batchGetId({ data: { emails: ['ada@example.com'] } }),
  },
  {
    tool: 'lark-create-task',
    input: { summary: 'Pay rent', description: 'Until Friday' },
    sdk: (url) => at(url).task.v2.task.create({ data: { summary: 'Pay rent', description: 'Until Friday' } }),
  },
  {
    tool: 'lark-search-base-records',
    input: { ...table, field_names: ['Name'] },
    top: 50,
    sdk: (url) =>
      at(url).bitable.appTableRecord.search({
        path: table,
        params: { page_size: 50 },
        data: { field_names: ['Name'] },
      }),
  },
  {
    tool: 'lark-update-base-record',
    input: { ...table, record_id: 'r1', fields: { Name: 'Ada' } },
    sdk: (url) =>
      at(url).bitable.appTableRecord.update({
        path: { ...table, record_id: 'r1' },
        data: { fields: { Name: 'Ada' } },
      }),
  },
  {
    tool: 'lark-create-document',
    input: { title: 'Plan', folder_token: 'f1' },
    sdk: (url) => at(url).docx.document.create({ data: { title: 'Plan', folder_token: 'f1' } }),
  },
];
