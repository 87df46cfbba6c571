import type { ScheduleFrame } from '@/api/schema.gen';
import { useIsPhone } from '@/ui/useIsPhone';
import { FrameCards } from './FrameCards';
import { FrameTable } from './FrameTable';

export interface FramesProps {
  frames: readonly ScheduleFrame[];
  /** What is wrong with a frame, if anything. */
  faultOf: (frame: ScheduleFrame) => string | undefined;
  isChanged: (frame: ScheduleFrame) => boolean;
  isRemoved: (frame: ScheduleFrame) => boolean;
  disabled: boolean;
  onEdit: (number: number) => void;
}

/** Frames of a schedule, with the way to change them. */
export function ScheduleFrames(props: FramesProps) {
  return useIsPhone() ? <FrameCards {...props} /> : <FrameTable {...props} />;
}
