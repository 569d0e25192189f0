// Joins class names; of two conflicting ones the later wins.
import { extendTailwindMerge } from 'tailwind-merge';

export const cn = extendTailwindMerge({
  extend: {
    theme: {
      text: ['xs', 'sm', 'base', 'md', 'lg', 'xl', '2xl'],
      spacing: ['row', 'control'],
      shadow: ['raised', 'overlay'],
    },
  },
});
