// Cards of triggers on the pages of their objects; nothing for other kinds.
import type { Resource } from '@svc/shared/resource';
import type { ComponentType } from 'react';
import { ScheduleCards } from './ScheduleCards.tsx';
import { WebhookCards } from './WebhookCards.tsx';

interface CardsProps {
  readonly resource: Resource;
}

const CARDS: Readonly<Record<string, ComponentType<CardsProps>>> = {
  TaskSchedule: ScheduleCards,
  TaskWebhook: WebhookCards,
};

export function TriggerCards({ resource }: CardsProps) {
  const Cards = Object.hasOwn(CARDS, resource.kind) ? CARDS[resource.kind] : undefined;
  return Cards ? <Cards resource={resource} /> : null;
}
