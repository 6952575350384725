import { forms } from '@googleapis/forms';

const at = (url) => forms({ version: 'v1', rootUrl: `${url}/`, retry: false });

export const origin = 'https://forms.googleapis.com';
export const authenticationId = 0;
export const accessToken = 'token';
// Our calls ask for the members that they return.
export const ignored = ['fields'];
export const cases = [
  {
    tool: 'google-forms-get-form',
    input: { formId: 'f1' },
    sdk: (url) => at(url).forms.get({ formId: 'f1' }),
  },
  {
    tool: 'google-forms-create-form',
    input: { title: 'Poll' },
    sdk: (url) => at(url).forms.create({ unpublished: false, requestBody: { info: { title: 'Poll' } } }),
  },
  {
    tool: 'google-forms-get-response',
    input: { formId: 'f1', responseId: 'r1' },
    sdk: (url) => at(url).forms.responses.get({ formId: 'f1', responseId: 'r1' }),
  },
  {
    tool: 'google-forms-list-watches',
    input: { formId: 'f1' },
    sdk: (url) => at(url).forms.watches.list({ formId: 'f1' }),
  },
  {
    tool: 'google-forms-renew-watch',
    input: { formId: 'f1', watchId: 'w1' },
    sdk: (url) => at(url).forms.watches.renew({ formId: 'f1', watchId: 'w1' }),
  },
  {
    tool: 'google-forms-publish-form',
    input: { formId: 'f1', isPublished: true, isAcceptingResponses: true },
    sdk: (url) =>
      at(url).forms.setPublishSettings({
        formId: 'f1',
        requestBody: { publishSettings: { publishState: { isPublished: true, isAcceptingResponses: true } } },
      }),
  },
];
