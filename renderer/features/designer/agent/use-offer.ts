// Takes an item of the catalogue that was given to an agent, once its side form shows that agent.
import { useContext, useEffect, useRef } from 'react';
import { OfferContext, type CatalogueItem } from './offer.ts';

/** Calls `take` once with each item for the agent; false leaves it for another part of the form. */
export function useOffer(agent: string, take: (item: CatalogueItem) => boolean): void {
  const { offer, taken } = useContext(OfferContext);
  const latest = useRef(take);
  useEffect(() => {
    latest.current = take;
  });
  useEffect(() => {
    if (offer?.agent === agent && latest.current(offer.item)) taken();
  }, [offer, agent, taken]);
}
