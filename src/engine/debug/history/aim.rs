//! What journeys are for.
//!
//! An aim is plain data, since it is sent to copies of the process. As an [`Itinerary`] it says where its journey
//! begins and ends; its [`Visit`](crate::debug::history::visit::Visit) is what an instance does on the way. What it
//! finds has a type of its own ([`Finds`](crate::debug::history::visit::Finds)). A new aim is a file in the folder of
//! its question, and a row of the table below.

use serde::{Deserialize, Serialize};

use crate::debug::history::arrive::Arrive;
use crate::debug::history::changes::aims::{FindChanges, Resolve, SearchWholePast};
use crate::debug::history::hits::aim::RecordHits;
use crate::debug::history::output::aim::FindPrinted;
use crate::debug::history::positions::aim::RecordPositions;
use crate::debug::history::statements::aim::FindStatements;
use crate::debug::history::unfold::aim::UnfoldStatement;
use crate::debug::history::unfold::visits::FindVisits;
use crate::debug::history::visit::Itinerary;

macro_rules! aims {
    ($($aim:ident,)*) => {
        /// What a journey is for.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub(crate) enum Aim {
            $($aim(Box<$aim>),)*
        }

        impl Aim {
            /// What it says about the journey.
            pub fn itinerary(&self) -> &dyn Itinerary {
                match self {
                    $(Aim::$aim(aim) => &**aim,)*
                }
            }
        }

        $(impl From<$aim> for Aim {
            fn from(aim: $aim) -> Aim {
                Aim::$aim(Box::new(aim))
            }
        })*
    };
}

aims! {
    Arrive,
    RecordPositions,
    RecordHits,
    Resolve,
    FindChanges,
    SearchWholePast,
    UnfoldStatement,
    FindStatements,
    FindPrinted,
    FindVisits,
}
