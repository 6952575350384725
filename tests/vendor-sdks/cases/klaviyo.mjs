import {
  ApiKeySession,
  CampaignsApi,
  EventsApi,
  FlowsApi,
  ListsApi,
  ProfilesApi,
  TemplatesApi,
} from 'klaviyo-api';

const at = (url, Api) => {
  const api = new Api(new ApiKeySession('pk_1'));
  api.basePath = url;
  return api;
};

export const origin = 'https://a.klaviyo.com';
export const authenticationId = 1;
export const fields = { apiKey: 'pk_1' };
export const cases = [
  {
    tool: 'klaviyo-get-profile',
    input: { id: 'p1' },
    sdk: (url) => at(url, ProfilesApi).getProfile('p1', { additionalFieldsProfile: ['subscriptions'] }),
  },
  {
    tool: 'klaviyo-create-profile',
    input: { email: 'ada@example.com', first_name: 'Ada', properties: { plan: 'a' } },
    sdk: (url) =>
      at(url, ProfilesApi).createProfile({
        data: {
          type: 'profile',
          attributes: { email: 'ada@example.com', firstName: 'Ada', properties: { plan: 'a' } },
        },
      }),
  },
  {
    tool: 'klaviyo-update-profile',
    input: { id: 'p1', title: 'Dr' },
    sdk: (url) =>
      at(url, ProfilesApi).updateProfile('p1', {
        data: { type: 'profile', id: 'p1', attributes: { title: 'Dr' } },
      }),
  },
  {
    tool: 'klaviyo-create-list',
    input: { name: 'News' },
    sdk: (url) => at(url, ListsApi).createList({ data: { type: 'list', attributes: { name: 'News' } } }),
  },
  {
    tool: 'klaviyo-add-to-list',
    input: { id: 'l1', profiles: [{ type: 'profile', id: 'p1' }] },
    sdk: (url) => at(url, ListsApi).addProfilesToList('l1', { data: [{ type: 'profile', id: 'p1' }] }),
  },
  {
    tool: 'klaviyo-create-event',
    input: { metric: 'Bought', email: 'ada@example.com', properties: { item: 'hat' }, value: 9.5 },
    sdk: (url) =>
      at(url, EventsApi).createEvent({
        data: {
          type: 'event',
          attributes: {
            properties: { item: 'hat' },
            value: 9.5,
            metric: { data: { type: 'metric', attributes: { name: 'Bought' } } },
            profile: { data: { type: 'profile', attributes: { email: 'ada@example.com' } } },
          },
        },
      }),
  },
  {
    tool: 'klaviyo-get-campaign',
    input: { id: 'c1' },
    sdk: (url) => at(url, CampaignsApi).getCampaign('c1'),
  },
  {
    tool: 'klaviyo-send-campaign',
    input: { id: 'c1' },
    sdk: (url) => at(url, CampaignsApi).sendCampaign({ data: { type: 'campaign-send-job', id: 'c1' } }),
  },
  {
    tool: 'klaviyo-set-flow-status',
    input: { id: 'f1', status: 'live' },
    sdk: (url) =>
      at(url, FlowsApi).updateFlow('f1', {
        data: { type: 'flow', id: 'f1', attributes: { status: 'live' } },
      }),
  },
  {
    tool: 'klaviyo-render-template',
    input: { id: 't1', context: { name: 'Ada' } },
    sdk: (url) =>
      at(url, TemplatesApi).renderTemplate({
        data: { type: 'template', id: 't1', attributes: { context: { name: 'Ada' } } },
      }),
  },
];
